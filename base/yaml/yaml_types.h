// The kinds of values that fields can have: quantities, words, lists, mappings. Used through base/yaml/yaml.h.
#pragma once
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <unordered_set>

#include "base/yaml/yaml_reader.h"

namespace dse::yaml {

/// Any scalar as written; not empty.
Type<std::string> text();
/// A name that other parts of a document or other documents refer to (`name_pattern`).
Type<std::string> name();
/// `true` or `false`, nothing else that YAML 1.1 takes for a boolean.
Type<bool> boolean();
/// A latency in cycles of the owning block's clock, or in ns.
Type<Duration> duration();
/// A whole quantity between `low` and `high`, in the unit's base unit.
Type<std::int64_t> whole(const Unit& unit, std::int64_t low, std::int64_t high);
/// Same, for `int` members.
Type<int> small(const Unit& unit, int low, int high);
/// An exact rational quantity between `low` and `high`.
Type<Ratio> rational(const Unit& unit, Ratio low, Ratio high);
/// A quantity that only enters sums which need not be exact (energy).
Type<double> real(const Unit& unit, double low, double high);
/// One of these words.
Type<std::string> choice(std::vector<std::string> words);

/// One of these words, each standing for a value.
template <class E>
Type<E> choice(std::vector<std::pair<std::string, E>> values) {
  std::vector<std::string> words;
  for (const auto& [word, value] : values) words.push_back(word);
  auto base = choice(std::move(words));
  Type<E> out;
  out.schema = base.schema;
  out.read = [base, values](const Node& n, Reader& r, E& v) {
    std::string word;
    if (!base.read(n, r, word)) return false;
    v = std::find_if(values.begin(), values.end(), [&](const auto& p) { return p.first == word; })->second;
    return true;
  };
  out.show = [values](const E& v) {
    const auto it = std::find_if(values.begin(), values.end(), [&](const auto& p) { return p.second == v; });
    return it == values.end() ? std::string() : it->first;
  };
  return out;
}

/// The value with its place.
template <class V>
Type<Located<V>> located(Type<V> inner) {
  Type<Located<V>> out;
  out.schema = inner.schema;
  out.read = [inner](const Node& n, Reader& r, Located<V>& v) {
    v.where = n.where();
    v.present = true;
    v.given = inner.read(n, r, v.value);
    return v.given;
  };
  return out;
}

/// A list of `min` to `max` elements (0 = no limit). Elements that could not be read are left out, after their
/// diagnostics.
template <class V>
Type<std::vector<V>> list_of(Type<V> element, std::size_t min = 0, std::size_t max = 0) {
  Type<std::vector<V>> out;
  out.schema.kind = Schema::Kind::list;
  out.schema.words = min == 2 && max == 2 ? "[" + element.schema.words + ", " + element.schema.words + "]"
                                          : "list of " + element.schema.words;
  out.schema.items = {element.schema};
  out.schema.min_items = min, out.schema.max_items = max;
  out.read = [element, min, max, words = element.schema.words](const Node& n, Reader& r, std::vector<V>& v) {
    if (!detail::expect_list(n, r, words, min, max)) return false;
    for (std::size_t i = 0; i < n.items.size(); ++i) {
      Reader::Step step(r, "[" + std::to_string(i) + "]");
      V one{};
      if (element.read(n.items[i], r, one)) v.push_back(std::move(one));
    }
    return true;
  };
  return out;
}

/// A single element, or a list of at least one.
template <class V>
Type<std::vector<V>> one_or_more(Type<V> element) {
  auto list = list_of(element, 1);
  Type<std::vector<V>> out;
  out.schema.kind = Schema::Kind::either;
  out.schema.words = element.schema.words + ", or a list of them";
  out.schema.items = {element.schema, list.schema};
  out.read = [element, list](const Node& n, Reader& r, std::vector<V>& v) {
    if (n.kind == Node::Kind::list) return list.read(n, r, v);
    V one{};
    if (!element.read(n, r, one)) return false;
    v.push_back(std::move(one));
    return true;
  };
  return out;
}

/// A mapping from free names to values, in the order of the file, `min` to `max` of them (0 = no limit). `word` stands
/// for a name in the reference ("name"). An entry whose value could not be read is kept with a default value, so that
/// references to its name resolve.
template <class V>
Type<std::vector<Entry<V>>> map_of(Type<V> value, const std::string& word, std::size_t min = 0, std::size_t max = 0) {
  Type<std::vector<Entry<V>>> out;
  out.schema.kind = Schema::Kind::map;
  out.schema.words = "mapping from " + word + " to " + value.schema.words;
  out.schema.items = {value.schema};
  out.schema.key_word = word;
  out.schema.key_pattern = name_pattern;
  out.schema.min_items = min, out.schema.max_items = max;
  out.read = [value, min, max, words = out.schema.words, word](const Node& n, Reader& r, std::vector<Entry<V>>& v) {
    if (!detail::expect_map(n, r, "a " + words)) return false;
    detail::check_duplicates(n, r);
    if (n.keys.size() < min) r.error(n, "needs at least " + std::to_string(min) + (min == 1 ? " entry" : " entries"));
    if (max > 0 && n.keys.size() > max)
      r.error(n, "has " + std::to_string(n.keys.size()) + " entries, but there can be at most " + std::to_string(max));
    std::unordered_set<std::string> seen;
    for (std::size_t i = 0; i < n.keys.size(); ++i) {
      if (!seen.insert(n.keys[i].text).second) continue;
      if (!detail::valid_name(n.keys[i].text)) {
        detail::bad_name(n.keys[i], word, r);
        continue;
      }
      Reader::Step step(r, n.keys[i].text);
      Entry<V> e{{n.keys[i].text, n.keys[i].where(), true, true}, {}};
      value.read(n.items[i], r, e.value);
      v.push_back(std::move(e));
    }
    return true;
  };
  return out;
}

/// A mapping whose keys are some of these words. An entry whose value could not be read is left out.
template <class V>
Type<std::map<std::string, V>> table_of(Type<V> value, const std::string& word, std::vector<std::string> keys) {
  Type<std::map<std::string, V>> out;
  out.schema.kind = Schema::Kind::map;
  out.schema.words = "mapping from " + word + " to " + value.schema.words;
  out.schema.items = {value.schema};
  out.schema.key_word = word;
  out.schema.key_choices = keys;
  out.read = [value, keys, words = out.schema.words](const Node& n, Reader& r, std::map<std::string, V>& v) {
    if (!detail::expect_map(n, r, "a " + words)) return false;
    detail::check_duplicates(n, r);
    for (std::size_t i = 0; i < n.keys.size(); ++i) {
      if (!detail::not_a_choice(n.keys[i].text, keys).empty()) {
        detail::unknown_key(n.keys[i], keys, r);
        continue;
      }
      Reader::Step step(r, n.keys[i].text);
      V one{};
      if (value.read(n.items[i], r, one)) v.emplace(n.keys[i].text, std::move(one));
    }
    return true;
  };
  return out;
}

}  // namespace dse::yaml
