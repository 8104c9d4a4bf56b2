#include "base/diagnostics.h"

#include <algorithm>
#include <utility>

namespace dse {

std::string to_string(const Diagnostic& d) {
  static const char* const words[] = {"error", "warning", "note"};
  std::string out;
  if (!d.where.file.empty()) {
    out += d.where.file;
    if (d.where.line > 0) out += ":" + std::to_string(d.where.line);
    if (d.where.line > 0 && d.where.column > 0) out += ":" + std::to_string(d.where.column);
    out += ": ";
  }
  out += std::string(words[static_cast<int>(d.severity)]) + ": " + d.what;
  if (!d.hint.empty()) out += "\n  hint: " + d.hint;
  return out;
}

void Diagnostics::error(Location w, std::string what, std::string hint) {
  list_.push_back({Severity::error, std::move(w), std::move(what), std::move(hint)});
}
void Diagnostics::warning(Location w, std::string what, std::string hint) {
  list_.push_back({Severity::warning, std::move(w), std::move(what), std::move(hint)});
}
void Diagnostics::note(Location w, std::string what, std::string hint) {
  list_.push_back({Severity::note, std::move(w), std::move(what), std::move(hint)});
}

bool Diagnostics::has_errors() const {
  return std::any_of(list_.begin(), list_.end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
}

std::string Diagnostics::text() const {
  std::string out;
  for (const auto& d : list_) out += to_string(d) + "\n";
  return out;
}

void ensure(bool ok, const std::string& what) {
  if (!ok) throw InvariantError(what);
}

}  // namespace dse
