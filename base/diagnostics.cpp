#include "base/diagnostics.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/system/terminal.h"

namespace dse {

namespace {

constexpr std::size_t kMostOfAFile = 100;  // diagnostics that text() has room for

}  // namespace

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
  return printable(out);
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
  struct Told {
    std::size_t all = 0, errors = 0, shown = 0;
  };
  std::map<std::string, Told> told;  // by file
  for (const auto& d : list_) ++told[d.where.file].all;
  std::string out;
  for (const auto& d : list_) {
    auto& of = told[d.where.file];
    if (of.shown < kMostOfAFile) {
      out += to_string(d) + "\n";
      ++of.shown;
    } else {
      of.errors += d.severity == Severity::error;
    }
  }
  for (const auto& [file, of] : told)
    if (of.all > of.shown)
      out += to_string({of.errors > 0 ? Severity::error : Severity::note,
                        {file, 0, 0},
                        "and " + std::to_string(of.all - of.shown) + " more",
                        {}}) +
             "\n";
  return out;
}

void ensure(bool ok, const std::string& what) {
  if (!ok) throw InvariantError(what);
}

}  // namespace dse
