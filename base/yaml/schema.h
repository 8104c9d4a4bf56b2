// What a file may hold, as data: written once by the declarations of base/yaml/yaml.h, printed as JSON Schema for
// editors and as Markdown tables for people.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace dse::yaml {

struct Property;

struct Schema {
  enum class Kind { text, quantity, boolean, choice, list, map, object, tagged, either };
  Kind kind = Kind::text;
  std::string words;                         // for people: "size, 1 B to 1 TiB"
  std::string pattern;                       // text, quantity: regular expression of the written form; empty = any
  bool bare = false;                         // quantity: a plain YAML number is fine too
  bool integer = false;                      // quantity: whole numbers only
  std::optional<double> minimum, maximum;    // of a plain number
  std::vector<std::string> choices;          // choice
  std::string title, description;            // object, tagged
  std::vector<Property> properties;          // object
  std::vector<Property> patterns;            // object: further keys, by regular expression
  std::vector<Schema> items;                 // list: the element; map: the value; tagged, either: the alternatives
  std::size_t min_items = 0, max_items = 0;  // list; 0 = no limit
  std::string key_pattern;                   // map: of its keys, unless choices
  std::vector<std::string> key_choices;      // map: the keys that exist
  std::string key_word;                      // map: what stands for a key in the reference, "name"
  std::string tag;                           // tagged: the key that chooses; alternative i is chosen by choices[i]
};

struct Property {
  std::string key;
  Schema schema;
  std::string description;
  bool required = false;
  std::string default_text;  // empty = none
};

/// JSON Schema, draft 2020-12, of a document whose root is `root` (an object); `format: 1` is added. Two-space indent,
/// ends with a newline.
std::string json_schema(const Schema& root, const std::string& id);

/// Markdown: one table of fields for the root and each object below it, headed by its path (`memories.<name>`).
std::string reference(const Schema& root);

}  // namespace dse::yaml
