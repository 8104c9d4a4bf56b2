// A YAML document as a plain tree with a place for every node. Our own tree instead of the library's, because that one
// keeps the first of two equal keys in silence and shares nodes among aliases, which a hostile file turns into
// exponential work.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

namespace dse::yaml {

struct Node {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  std::string text;         // scalar
  bool quoted = false;      // scalar: in quotes or a block, so never a number, boolean or null
  std::vector<Node> keys;   // map: scalars, in the order of the file, duplicates kept
  std::vector<Node> items;  // list: elements; map: values, items[i] belongs to keys[i]
  std::shared_ptr<const std::string> file;
  int line = 0, column = 0;  // from 1; 0 = unknown

  Location where() const { return {file ? *file : std::string(), line, column}; }
  /// First value of that key, null if there is none or the node is not a map.
  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
};

/// "a mapping", "a list", "a value", "nothing".
const char* name_of(Node::Kind k);

constexpr int max_depth = 64;
constexpr std::size_t max_file_bytes = std::size_t{64} << 20;

/// Parses one document. Syntax errors, nesting deeper than `max_depth`, more than a million nodes once aliases are
/// expanded, tags, a second document and texts above `max_file_bytes` become one diagnostic with line and column, and
/// no tree. `file` is for messages.
std::optional<Node> parse(std::string_view text, const std::string& file, Diagnostics& diagnostics);

/// Whole content of a regular file of at most `max_file_bytes`; else a diagnostic and nothing.
std::optional<std::string> load(const std::string& path, Diagnostics& diagnostics);

}  // namespace dse::yaml
