#include "base/yaml/yaml_reader.h"

#include <algorithm>
#include <unordered_map>

#include "base/suggest.h"

namespace dse::yaml {

const char* const name_pattern = "^[A-Za-z][A-Za-z0-9_-]*$";

void Reader::error(Location where, const std::string& what, std::string hint) {
  ++errors_;
  if (errors_ > max_errors + 1) return;
  if (errors_ == max_errors + 1) {
    diagnostics_.note(std::move(where), "more errors follow; these first " + std::to_string(max_errors) + " are shown");
    return;
  }
  const auto p = path();
  diagnostics_.error(std::move(where), p.empty() ? what : p + ": " + what, std::move(hint));
}

std::string Reader::path() const {
  std::string out;
  for (const auto& s : path_) {
    if (!out.empty() && s[0] != '[') out += '.';
    out += s;
  }
  return out;
}

namespace detail {

bool expect_scalar(const Node& n, Reader& r, const std::string& wanted) {
  if (n.kind == Node::Kind::scalar) return true;
  r.error(n, n.kind == Node::Kind::null ? "is empty: expected " + wanted
                                        : "expected " + wanted + ", not " + name_of(n.kind));
  return false;
}

bool expect_map(const Node& n, Reader& r, const std::string& wanted) {
  if (n.kind == Node::Kind::map) return true;
  r.error(n, (n.kind == Node::Kind::null ? std::string("is empty: ") : std::string()) + "expected " + wanted +
                 (n.kind == Node::Kind::null ? "" : std::string(", not ") + name_of(n.kind)));
  return false;
}

bool expect_list(const Node& n, Reader& r, const std::string& wanted, std::size_t min, std::size_t max) {
  if (n.kind != Node::Kind::list) {
    r.error(n, "expected a list (" + wanted + "), not " + name_of(n.kind));
    return false;
  }
  const auto size = n.items.size();
  if (size >= min && (max == 0 || size <= max)) return true;
  const auto entries = [](std::size_t k) { return std::to_string(k) + (k == 1 ? " entry" : " entries"); };
  r.error(n, "has " + entries(size) + ", but needs " +
                 (size < min ? (min == max ? "" : "at least ") + std::to_string(min)
                             : (min == max ? "" : "at most ") + std::to_string(max)));
  return false;
}

void bad_name(const Node& key, const std::string& word, Reader& r) {
  r.error(key, quote(key.text) + " cannot be the " + word +
                   " of anything: use letters, digits, _ and -, and begin with a letter");
}

void check_duplicates(const Node& map, Reader& r) {
  std::unordered_map<std::string_view, const Node*> seen;
  for (const auto& k : map.keys) {
    const auto [it, fresh] = seen.emplace(k.text, &k);
    if (!fresh)
      r.error(k, "the key " + quote(k.text) + " is given twice; first in line " + std::to_string(it->second->line));
  }
}

void unknown_key(const Node& key, const std::vector<std::string>& known, Reader& r) {
  const auto guess = nearest(key.text, known);
  const auto name = key.text.empty() ? std::string("an empty key") : "unknown field " + quote(key.text);
  r.error(key, name, guess.empty() ? "known here: " + join_or(known) : "did you mean " + guess + "?");
}

std::string not_a_choice(const std::string& text, const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) return {};
  const auto guess = nearest(text, choices);
  return quote(text) + " is none of " + join_or(choices) + (guess.empty() ? "" : "; did you mean " + guess + "?");
}

bool valid_name(const std::string& text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.empty() || text.size() > 200 || !letter(text[0])) return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; });
}

}  // namespace detail

}  // namespace dse::yaml
