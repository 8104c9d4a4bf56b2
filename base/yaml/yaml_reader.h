// What every field type of base/yaml/yaml.h is made of: the reader that collects diagnostics, and Type, which reads one
// kind of value and describes it. Users of the field reader include base/yaml/yaml.h.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/unit_text.h"
#include "base/yaml/schema.h"
#include "base/yaml/yaml_node.h"

namespace dse::yaml {

/// A value that remembers where it was written, for checks that come after reading.
template <class V>
struct Located {
  V value{};
  Location where;
  bool given = false;    // it was written and could be read; else `value` is the default
  bool present = false;  // it was written
};
using Name = Located<std::string>;

/// One entry of a mapping from names, in the order of the file.
template <class V>
struct Entry {
  Name name;
  V value{};
};

/// Collects what is wrong while a document is read. Messages begin with the path of the field (`memories.l1.size:
/// ...`).
class Reader {
 public:
  explicit Reader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void error(Location where, const std::string& what, std::string hint = {});
  void error(const Node& node, const std::string& what, std::string hint = {}) {
    error(node.where(), what, std::move(hint));
  }
  int errors() const { return errors_; }

  /// While it lives, messages are about `segment` below the current path.
  class Step {
   public:
    Step(Reader& reader, std::string segment) : reader_(reader) { reader_.path_.push_back(std::move(segment)); }
    ~Step() { reader_.path_.pop_back(); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    Reader& reader_;
  };
  std::string path() const;  // "memories.l1.size"; list elements as "links[0]"

  static constexpr int max_errors = 100;  // then one last note, so that a broken file of megabytes stays readable

 private:
  Diagnostics& diagnostics_;
  std::vector<std::string> path_;
  int errors_ = 0;
};

/// How one kind of value is read, shown and described. `read` returns false after it has reported why; an object or
/// mapping that was only partly right returns true (its errors are counted by the Reader), so that later checks know
/// the names in it.
template <class V>
struct Type {
  std::function<bool(const Node&, Reader&, V&)> read;
  Schema schema;
  std::function<std::string(const V&)> show;  // empty = a default is not worth showing
};

// The untyped halves of the templates in base/yaml/yaml.h.
namespace detail {
/// Scalar that is not null, else an error that says what is wanted.
bool expect_scalar(const Node&, Reader&, const std::string& wanted);
bool expect_map(const Node&, Reader&, const std::string& wanted);
bool expect_list(const Node&, Reader&, const std::string& wanted, std::size_t min, std::size_t max);
/// Reports each repeated key of a mapping, with the place of the first.
void check_duplicates(const Node& map, Reader&);
/// Reports a key that is none of `known`, with the nearest of them as a hint.
void unknown_key(const Node& key, const std::vector<std::string>& known, Reader&);
/// Reports a key that is no name.
void bad_name(const Node& key, const std::string& word, Reader&);
/// Nothing, or why `text` is none of `choices`.
std::string not_a_choice(const std::string& text, const std::vector<std::string>& choices);
bool valid_name(const std::string& text);
}  // namespace detail

/// The pattern of names: a letter, then letters, digits, `_`, `-`. No dots, since paths are dotted.
extern const char* const name_pattern;

}  // namespace dse::yaml
