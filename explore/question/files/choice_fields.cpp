#include "explore/question/files/choice_fields.h"

#include <algorithm>

#include "base/suggest.h"
#include "explore/question/allowed.h"
#include "plan/choices/choice.h"

namespace dse::explore {

namespace {

using yaml::Node;
using yaml::Reader;
using yaml::Type;

/// A device that has nothing: choices that can be read against it do not depend on the device.
const hw::Device& no_device() {
  static const hw::Device device;
  return device;
}

/// Its values are memories or engines, so only a device can tell which exist.
bool names_parts(const plan::Choice& c) {
  static const hw::Device device = [] {
    hw::Device d;
    hw::Memory m;
    m.name = "a_part_of_the_device";
    hw::Engine e;
    e.name = m.name;
    e.kind = hw::EngineKind::cpu;
    d.memories.push_back(m);
    d.engines.push_back(e);
    return d;
  }();
  return c.parse(device, "a_part_of_the_device").has_value();
}

/// What to write for a choice: its words, or what stands for a count.
std::vector<std::string> values_of(const plan::Choice& c) {
  if (c.parse(no_device(), "12345")) return {"all", "a whole number"};
  std::vector<std::string> out;
  for (int v = 0; v < 64; ++v) {
    try {
      out.push_back(c.text(no_device(), v));
    } catch (const std::out_of_range&) {
      break;
    }
  }
  return out;
}

/// What a layer search enumerates, and so what it can be restricted to.
const std::vector<plan::Choice>& registered() {
  static const auto choices = [] {
    auto all = plan::ChoiceRegistry::standard().all();
    std::erase_if(all, [](const plan::Choice& c) { return !c.searched; });
    return all;
  }();
  return choices;
}

const plan::NetworkDecision& network_decision(const std::string& name) {
  const auto& all = plan::ChoiceRegistry::of_network();
  return *std::find_if(all.begin(), all.end(), [&](const auto& d) { return d.name == name; });
}
const plan::NetworkDecision& input_decision() { return network_decision("input"); }

yaml::Schema one_or_several(const yaml::Schema& value) {
  yaml::Schema list, either;
  list.kind = yaml::Schema::Kind::list;
  list.words = "list of " + value.words;
  list.items = {value};
  list.min_items = 1;
  either.kind = yaml::Schema::Kind::either;
  either.words = value.words + ", or a list of them";
  either.items = {value, list};
  return either;
}

yaml::Schema choices_schema() {
  yaml::Schema s;
  s.kind = yaml::Schema::Kind::object;
  s.words = "mapping from a choice to the values allowed";
  s.title = "Choices";
  s.description =
      "What the search may choose; what is left out is free. conv3.scheme is the scheme of layer conv3, which goes "
      "before what is said of all layers.";
  for (const auto& c : registered()) {
    yaml::Schema value = as_written().schema;
    if (names_parts(c)) {
      value.words = "name of a part of the device";
    } else if (c.parse(no_device(), "12345")) {
      value.words = "`all` or a whole number";
    } else {
      value = {};
      value.kind = yaml::Schema::Kind::choice;
      value.choices = values_of(c);
      value.words = join_or(value.choices);
    }
    const auto either = one_or_several(value);
    s.properties.push_back({c.name, either, c.doc, false, {}});
    s.patterns.push_back({"^.+[.]" + c.name + "$", either, c.doc + ", of one layer", false, {}});
  }
  yaml::Schema input, list, either;
  input.kind = yaml::Schema::Kind::choice;
  input.choices = input_decision().values;
  input.words = join_or(input.choices);
  list.kind = yaml::Schema::Kind::list;
  list.words = "list of one of them";
  list.items = {input};
  list.min_items = 1;
  either.kind = yaml::Schema::Kind::either;
  either.words = input.words;
  either.items = {input, list};
  s.properties.push_back(
      {"network.input", either, input_decision().doc + "; all plans of the sweep keep it", false, {}});
  yaml::Schema order = as_written().schema;
  order.words = "`searched`, `file` or the names of all layers with commas between them";
  s.properties.push_back(
      {"network.order",
       one_or_several(order),
       "in which orders layers may run; searched, as when left out: in every one that is possible. A list of names "
       "alone is one order. " +
           network_decision("order").doc,
       false,
       {}});
  return s;
}

/// `network.input: kept`: one value, which all plans of the sweep keep.
void check_input(const ChoiceText& c, Reader& r) {
  const auto& values = input_decision().values;
  for (const auto& v : c.values)
    if (std::find(values.begin(), values.end(), v.value) == values.end()) {
      const auto guess = nearest(v.value, values);
      r.error(v.where,
              quote(v.value) + " is no value of this choice" + (guess.empty() ? "" : "; did you mean " + guess + "?"),
              "values are " + join_or(values));
    }
  if (c.values.size() > 1)
    r.error(c.values[1].where, "all plans of a sweep treat their inputs alike: give one value",
            "for another one, run another sweep");
}

void unknown_choice(const Node& key, const std::string& layer, const std::string& name,
                    const std::vector<std::string>& known, Reader& r) {
  const auto guess = nearest(name, known);
  r.error(key, "there is no choice " + quote(name) + " of layer " + quote(layer),
          guess.empty() ? "choices are " + join_or(known) : "did you mean " + layer + "." + guess + "?");
}

}  // namespace

Type<std::string> as_written() {
  auto t = yaml::text();
  t.schema.kind = yaml::Schema::Kind::quantity;  // numbers need no quotes
  t.schema.bare = true;
  t.schema.pattern = ".+";
  t.schema.words = "value, as in the device file";
  t.show = {};
  return t;
}

Type<std::vector<ChoiceText>> choice_fields() {
  Type<std::vector<ChoiceText>> out;
  out.schema = choices_schema();
  const auto values = yaml::one_or_more(yaml::located(as_written()));
  out.read = [values](const Node& n, Reader& r, std::vector<ChoiceText>& v) {
    if (!yaml::detail::expect_map(n, r, "a mapping from choices to values")) return false;
    yaml::detail::check_duplicates(n, r);
    std::vector<std::string> known;
    for (const auto& c : registered()) known.push_back(c.name);
    for (std::size_t i = 0; i < n.keys.size(); ++i) {
      const auto [layer, name] = split_choice(n.keys[i].text);  // whether there is such a layer, networks know
      const auto it = std::find_if(registered().begin(), registered().end(),
                                   [&, wanted = name](const auto& c) { return c.name == wanted; });
      if (n.keys[i].text == "network.input" || n.keys[i].text == "network.order") {
        Reader::Step step(r, n.keys[i].text);
        ChoiceText c{{n.keys[i].text, n.keys[i].where(), true, true}, {}};
        if (!values.read(n.items[i], r, c.values)) continue;
        if (n.keys[i].text == "network.input") check_input(c, r);  // layers are known to networks only
        v.push_back(std::move(c));
        continue;
      }
      if (it == registered().end()) {
        if (layer == "network") {
          r.error(n.keys[i],
                  "network.input and network.order are the only choices of the whole network that a sweep can fix",
                  "a plan document or an assignment can have the others");
          continue;
        }
        if (layer.empty())
          yaml::detail::unknown_key(n.keys[i], known, r);
        else
          unknown_choice(n.keys[i], layer, name, known, r);
        continue;
      }
      Reader::Step step(r, n.keys[i].text);
      ChoiceText c{{n.keys[i].text, n.keys[i].where(), true, true}, {}};
      if (!values.read(n.items[i], r, c.values)) continue;
      for (const auto& value : c.values) {
        const bool fine =
            names_parts(*it) ? yaml::detail::valid_name(value.value) : it->parse(no_device(), value.value).has_value();
        const auto guess = nearest(value.value, values_of(*it));
        if (!fine)
          r.error(value.where,
                  quote(value.value) + " is no value of this choice" +
                      (guess.empty() ? "" : "; did you mean " + guess + "?"),
                  "values are " + (names_parts(*it) ? "names of parts of the device" : join_or(values_of(*it))));
      }
      v.push_back(std::move(c));
    }
    return true;
  };
  return out;
}

}  // namespace dse::explore
