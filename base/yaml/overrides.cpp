// Changes to a document before it is read.
#include <charconv>

#include "base/suggest.h"
#include "base/yaml/yaml.h"

namespace dse::yaml {

namespace {

void place(Node& n, const std::shared_ptr<const std::string>& file, const Location& where) {
  n.file = file;
  n.line = where.line, n.column = where.column;
  for (auto& k : n.keys) place(k, file, where);
  for (auto& i : n.items) place(i, file, where);
}

/// The schema of `key` below `s`, null if unknown (then only what the document already has can be walked).
const Schema* below(const Schema* s, const Node& n, const std::string& key) {
  if (s == nullptr) return nullptr;
  if (s->kind == Schema::Kind::tagged) {
    const Node* tag = n.find(s->tag);
    for (std::size_t i = 0; tag != nullptr && i < s->choices.size(); ++i)
      if (s->choices[i] == tag->text) return below(&s->items[i], n, key);
    return nullptr;
  }
  if (s->kind == Schema::Kind::map || s->kind == Schema::Kind::list) return &s->items[0];
  for (const auto& p : s->properties)
    if (p.key == key) return &p.schema;
  return nullptr;
}

std::vector<std::string> known_below(const Schema* s, const Node& n) {
  std::vector<std::string> out;
  if (s != nullptr && s->kind == Schema::Kind::tagged) {
    const Node* tag = n.find(s->tag);
    for (std::size_t i = 0; tag != nullptr && i < s->choices.size(); ++i)
      if (s->choices[i] == tag->text) return known_below(&s->items[i], n);
  }
  if (s != nullptr && s->kind == Schema::Kind::object)
    for (const auto& p : s->properties) out.push_back(p.key);
  else if (s != nullptr && !s->key_choices.empty())
    out = s->key_choices;
  else
    for (const auto& k : n.keys) out.push_back(k.text);
  return out;
}

void apply(Node& root, const Schema& schema, const Override& o, Reader& reader) {
  const auto fail = [&](const std::string& what, const std::string& hint) {
    reader.error(o.where, "override " + quote(o.path) + ": " + what, hint);
  };
  const int before = reader.errors();
  Diagnostics parse_errors;
  auto value = parse(o.value, o.where.file, parse_errors);
  if (!value) {
    for (const auto& d : parse_errors.list()) fail("the value " + quote(o.value) + " is " + d.what, {});
    return;
  }
  place(*value, std::make_shared<const std::string>(o.where.file), o.where);
  const auto segments = segments_of(o.path);
  Node* at = &root;
  const Schema* s = &schema;
  std::string walked;
  for (std::size_t i = 0; i < segments.size() && reader.errors() == before; ++i) {
    const auto& key = segments[i];
    const bool last = i + 1 == segments.size();
    const std::string here = walked.empty() ? "the document" : walked;
    const Schema* next = below(s, *at, key);
    if (at->kind == Node::Kind::list) {
      std::size_t index = 0;
      const auto end = key.data() + key.size();
      if (std::from_chars(key.data(), end, index).ptr != end || key.empty() || index >= at->items.size())
        return fail("no such path: " + here + " has " + std::to_string(at->items.size()) + " entries, counted from 0",
                    {});
      at = &at->items[index];
    } else if (at->kind == Node::Kind::map) {
      Node* child = at->find(key);
      const bool is_field = next != nullptr && s->kind != Schema::Kind::map;
      const bool is_table_key =
          s != nullptr && !s->key_choices.empty() && detail::not_a_choice(key, s->key_choices).empty();
      if (child == nullptr && !is_field && !is_table_key) {
        const auto known = known_below(s, *at);
        const auto guess = nearest(key, known);
        return fail("no such path: " + here + " has no " + quote(key),
                    guess.empty() ? (known.empty() ? "" : "it has " + join_or(known)) : "did you mean " + guess + "?");
      }
      if (child == nullptr) {
        Node name, empty;
        name.kind = Node::Kind::scalar, name.text = key;
        empty.kind = last ? Node::Kind::null : Node::Kind::map;
        place(name, value->file, o.where), place(empty, value->file, o.where);
        at->keys.push_back(std::move(name));
        at->items.push_back(std::move(empty));
        child = &at->items.back();
      }
      at = child;
    } else {
      return fail("no such path: " + here + " is " + name_of(at->kind) + " and has nothing below it", {});
    }
    s = next;
    walked += (walked.empty() ? "" : ".") + key;
  }
  *at = std::move(*value);
}

}  // namespace

std::vector<std::string> segments_of(const std::string& path) {
  std::vector<std::string> out(1);
  for (char c : path)
    if (c == '.')
      out.emplace_back();
    else
      out.back() += c;
  return out;
}

bool prepare(Node& root, const Schema& schema, const Overrides& overrides, Reader& reader) {
  if (root.kind == Node::Kind::null) {
    reader.error(root, "the file is empty");
    return false;
  }
  if (root.kind != Node::Kind::map) {
    reader.error(root, std::string("expected a mapping from fields to values, not ") + name_of(root.kind));
    return false;
  }
  for (std::size_t i = 0; i < root.keys.size(); ++i) {
    if (root.keys[i].text != "format") continue;
    Reader::Step step(reader, "format");
    const Node& n = root.items[i];
    const auto version =
        n.kind == Node::Kind::scalar && !n.quoted ? parse_whole(n.text, unit::count) : Parsed<std::int64_t>{};
    if (!version.value || *version.value < 1) {
      reader.error(n, "expected 1, the version of this file format");
    } else if (*version.value > 1) {
      // Nothing else in the file means what this version thinks, so nothing else is worth reporting.
      reader.error(n, "format " + n.text + " is newer than this version of dse reads (1)", "use a newer dse");
      return false;
    }
    root.keys.erase(root.keys.begin() + static_cast<std::ptrdiff_t>(i));
    root.items.erase(root.items.begin() + static_cast<std::ptrdiff_t>(i));
    break;  // a second one is then an unknown field
  }
  for (const auto& o : overrides) apply(root, schema, o, reader);
  return true;
}

}  // namespace dse::yaml
