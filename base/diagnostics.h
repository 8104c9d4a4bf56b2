// What is wrong with an input, where, and what would help. Readers collect every diagnostic before they give up.
#pragma once
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <vector>

namespace dse {

/// A place in an input file; line and column count from 1, 0 = unknown (binary files use `offset` in the text instead).
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
};

enum class Severity { error, warning, note };

struct Diagnostic {
  Severity severity = Severity::error;
  Location where;
  std::string what;
  std::string hint;  // empty = none
};

/// `file:line:col: error: what` and, on a line of its own, `  hint: ...`.
std::string to_string(const Diagnostic& d);

class Diagnostics {
 public:
  void error(Location where, std::string what, std::string hint = {});
  void warning(Location where, std::string what, std::string hint = {});
  void note(Location where, std::string what, std::string hint = {});
  void add(Diagnostic d) { list_.push_back(std::move(d)); }
  bool has_errors() const;
  bool empty() const { return list_.empty(); }
  const std::vector<Diagnostic>& list() const { return list_; }
  /// Diagnostics, one per line (hints on following lines), as found: of a file 100, and how many more.
  std::string text() const;

 private:
  std::vector<Diagnostic> list_;
};

/// A broken invariant of our own: a defect, never the user's fault. Carries its context; `cli` aborts with it.
struct InvariantError : std::logic_error {
  using std::logic_error::logic_error;
};
/// @throws InvariantError when `ok` is false.
void ensure(bool ok, const std::string& what);
/// The same without building a string: for hot paths.
inline void ensure(bool ok, const char* what) {
  if (!ok) throw InvariantError(what);
}

}  // namespace dse
