#include "models/nn/graph/check/faults.h"

#include <fmt/format.h>

#include <algorithm>

namespace dse::nn {
namespace {

/// Names of tensors, which stand in quotes, and numbers tell no two faults apart.
std::string way_of(const std::string& text) {
  std::string out;
  bool inside = false;
  for (const char c : text) {
    if (c == '\'') inside = !inside;
    if (c == '\'' || !(inside || (c >= '0' && c <= '9') || c == '.' || c == '-')) out += c;
  }
  return out;
}

}  // namespace

void Faults::add(const std::string& type, const std::string& where, const Diagnostics& told) {
  for (const Diagnostic& d : told.list()) {
    const std::string way = way_of(d.what.starts_with(where) ? d.what.substr(where.size()) : d.what);
    const auto same = [&](const Fault& f) {
      return f.type == type && f.way == way && f.first.hint == d.hint && f.first.severity == d.severity;
    };
    const auto known = std::find_if(faults_.begin(), faults_.end(), same);
    if (known != faults_.end())
      ++known->more;
    else
      faults_.push_back({type, way, d, 0});
  }
}

void Faults::tell(Diagnostics& diags) const {
  for (Fault f : faults_) {
    if (f.more > 0) f.first.what += fmt::format("; so {} {} more", f.more == 1 ? "is" : "are", f.more);
    diags.add(std::move(f.first));
  }
}

}  // namespace dse::nn
