// The field reader: one declaration of a field serves the parser, its default, its range, the JSON Schema and the
// reference.
//
//   struct Budget { std::int64_t simulations = 20000; int seed = 1; };
//   struct Sweep { std::vector<std::string> networks; Budget budget; std::string order = "exact"; yaml::Name base; };
//
//   const yaml::Object<Sweep>& sweep_fields() {
//     static const auto fields = [] {
//       yaml::Object<Budget> budget("Budget", "When to stop.");
//       budget.optional("simulations", &Budget::simulations, yaml::whole(unit::count, 1, 1'000'000'000), "runs of the
//       simulator"); budget.optional("seed", &Budget::seed, yaml::small(unit::count, 0, 1'000'000), "of all random
//       choices"); yaml::Object<Sweep> sweep("Sweep", "What to explore."); sweep.required("networks", &Sweep::networks,
//       yaml::one_or_more(yaml::text()), "paths of networks"); sweep.optional("budget", &Sweep::budget, budget.type(),
//       "when to stop"); sweep.optional("order", &Sweep::order, yaml::choice({"exact", "genetic"}), "how to search");
//       sweep.required("base", &Sweep::base, yaml::name(), "device");       // a Located member remembers its place
//       sweep.check([](const Sweep& s, const yaml::Node& at, yaml::Reader& r) { ... r.error(s.base.where, "...",
//       "hint"); }); return sweep;
//     }();
//     return fields;
//   }
//
//   Sweep sweep;
//   if (!yaml::read_file(path, sweep_fields(), overrides, diagnostics, sweep)) return;      // every error is in
//   diagnostics yaml::json_schema(sweep_fields(), "sweep.json"); yaml::reference(sweep_fields());
//
// Types: text, name, boolean, choice, whole, small, rational, real, duration, list_of, one_or_more, map_of (free
// names), table_of (known keys), located, Object::type, Tagged::type (fields that depend on `kind:`). A member may be
// V, Located<V> or std::optional<V> for a Type<V>, or any function from T& to such a reference. Defaults are the values
// of a default-constructed T. Unknown, repeated, missing and badly typed fields are all reported, each with line and
// column, in one pass.
#pragma once
#include <concepts>
#include <optional>
#include <string_view>
#include <type_traits>

#include "base/yaml/yaml_types.h"

namespace dse::yaml {

/// A change to a document before it is read, as sweeps and command lines make: the path of a field and its new value as
/// YAML text.
struct Override {
  std::string path;   // "memories.l1.size"; list elements by number: "validated.0.cycles"
  std::string value;  // "64 KiB"; flow lists and mappings are fine
  Location where;     // of the override, for messages
};
using Overrides = std::vector<Override>;
/// The keys that a path names one below the other.
std::vector<std::string> segments_of(const std::string& path);

template <class T>
class Object {
 public:
  /// `description` is a sentence for people.
  Object(std::string title, std::string description) {
    schema_.kind = Schema::Kind::object;
    schema_.words = "fields";
    schema_.title = std::move(title);
    schema_.description = std::move(description);
  }

  template <class Member, class V>
  Object& required(const std::string& key, Member member, Type<V> type, const std::string& doc) {
    return add(key, member, std::move(type), doc, true);
  }
  template <class Member, class V>
  Object& optional(const std::string& key, Member member, Type<V> type, const std::string& doc) {
    return add(key, member, std::move(type), doc, false);
  }
  /// Runs after all fields have been read, even if some of them failed. Reports through the Reader.
  Object& check(std::function<void(T&, const Node&, Reader&)> f) {
    checks_.push_back(std::move(f));
    return *this;
  }

  const Schema& schema() const { return schema_; }

  /// False only if the node is no mapping. `tag`: a key that was dealt with outside.
  bool read(const Node& n, Reader& r, T& out, const std::string& tag = {}) const {
    if (!detail::expect_map(n, r, "a mapping")) return false;
    detail::check_duplicates(n, r);
    auto known = keys_;
    if (!tag.empty()) known.insert(known.begin(), tag);
    for (const auto& k : n.keys)
      if (!detail::not_a_choice(k.text, known).empty()) detail::unknown_key(k, known, r);
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (const Node* value = n.find(keys_[i])) {
        Reader::Step step(r, keys_[i]);
        readers_[i](*value, r, out);
      } else if (schema_.properties[i].required) {
        r.error(n, "needs the field " + keys_[i], schema_.properties[i].description);
      }
    }
    for (const auto& f : checks_) f(out, n, r);
    return true;
  }

  Type<T> type() const {
    return {[self = *this](const Node& n, Reader& r, T& v) { return self.read(n, r, v); }, schema_, {}};
  }

 private:
  template <class X>
  static constexpr bool is_located = requires(X x) {
    x.given;
    x.where;
    x.value;
  };

  template <class M, class V>
  static void store(M& member, V&& value, const Node& n) {
    if constexpr (std::is_same_v<M, std::remove_cvref_t<V>>)
      member = std::forward<V>(value);
    else if constexpr (is_located<M>)
      member = M{std::forward<V>(value), n.where(), true, true};
    else
      member = std::forward<V>(value);
  }

  template <class M, class V>
  static std::string default_of(const M& member, const Type<V>& type) {
    if (!type.show) return {};
    if constexpr (std::is_same_v<M, V>)
      return type.show(member);
    else if constexpr (is_located<M>)
      return type.show(member.value);
    else if constexpr (std::is_same_v<M, std::optional<V>>)
      return member ? type.show(*member) : std::string();
    else
      return type.show(V(member));
  }

  template <class Member, class V>
  Object& add(const std::string& key, Member member, Type<V> type, const std::string& doc, bool required) {
    T example{};
    schema_.properties.push_back(
        {key, type.schema, doc, required, required ? "" : default_of(std::invoke(member, example), type)});
    keys_.push_back(key);
    readers_.push_back([member, type = std::move(type)](const Node& n, Reader& r, T& out) {
      V value{};
      auto& place = std::invoke(member, out);
      if (type.read(n, r, value)) store(place, std::move(value), n);
      if constexpr (is_located<std::remove_cvref_t<decltype(place)>>) place.where = n.where(), place.present = true;
    });
    return *this;
  }

  Schema schema_;
  std::vector<std::string> keys_;
  std::vector<std::function<void(const Node&, Reader&, T&)>> readers_;
  std::vector<std::function<void(T&, const Node&, Reader&)>> checks_;
};

/// An object whose fields depend on the value of one key, usually `kind`.
template <class T>
class Tagged {
 public:
  explicit Tagged(std::string tag) {
    schema_.kind = Schema::Kind::tagged;
    schema_.tag = std::move(tag);
    schema_.words = "fields by " + schema_.tag;
  }
  /// `prepare` sets what the tag stands for, before the fields are read (e.g. emplaces the alternative of a variant).
  Tagged& add(const std::string& value, Object<T> fields, std::function<void(T&)> prepare) {
    schema_.choices.push_back(value);
    schema_.items.push_back(fields.schema());
    alternatives_.push_back({std::move(fields), std::move(prepare)});
    return *this;
  }
  Type<T> type() const {
    return {[self = *this](const Node& n, Reader& r, T& v) { return self.read(n, r, v); }, schema_, {}};
  }

 private:
  struct Alternative {
    Object<T> fields;
    std::function<void(T&)> prepare;
  };
  bool read(const Node& n, Reader& r, T& out) const {
    if (!detail::expect_map(n, r, "a mapping")) return false;
    const auto which = choice(schema_.choices);
    const Node* tag = n.find(schema_.tag);
    if (tag == nullptr) {
      r.error(n, "needs the field " + schema_.tag, which.schema.words);
      return false;
    }
    std::string word;
    {
      Reader::Step step(r, schema_.tag);
      if (!which.read(*tag, r, word)) return false;
    }
    const auto i = static_cast<std::size_t>(std::find(schema_.choices.begin(), schema_.choices.end(), word) -
                                            schema_.choices.begin());
    alternatives_[i].prepare(out);
    return alternatives_[i].fields.read(n, r, out, schema_.tag);
  }

  Schema schema_;
  std::vector<Alternative> alternatives_;
};

/// Root of a document: applies the overrides, checks and removes `format:` (1 is the newest known).
/// False if there is no tree to read; what is wrong is in the diagnostics.
bool prepare(Node& root, const Schema& schema, const Overrides& overrides, Reader& reader);

/// Reads `text` into `out`. Returns true if this found no error; `out` holds what could be read in either case. `file`
/// is for messages.
template <class T>
bool read_text(std::string_view text, const std::string& file, const Object<T>& fields, const Overrides& overrides,
               Diagnostics& diagnostics, T& out) {
  auto root = parse(text, file, diagnostics);
  Reader reader(diagnostics);
  if (!root || !prepare(*root, fields.schema(), overrides, reader)) return false;
  fields.read(*root, reader, out);
  return reader.errors() == 0;
}

/// Same, from a file.
template <class T>
bool read_file(const std::string& path, const Object<T>& fields, const Overrides& overrides, Diagnostics& diagnostics,
               T& out) {
  const auto text = load(path, diagnostics);
  return text && read_text(*text, path, fields, overrides, diagnostics, out);
}

template <class T>
std::string json_schema(const Object<T>& fields, const std::string& id) {
  return json_schema(fields.schema(), id);
}
template <class T>
std::string reference(const Object<T>& fields) {
  return reference(fields.schema());
}

}  // namespace dse::yaml
