#include "explore/question/sweep_fields.h"

#include <algorithm>

#include "base/suggest.h"
#include "explore/question/allowed.h"
#include "models/nn/graph/price.h"
#include "plan/choices/choice.h"

namespace dse::explore {

const Unit energy_unit{
    "an energy", "2 mJ", {{"pJ", 1}, {"nJ", 1000}, {"uJ", 1000000}, {"mJ", 1000000000}, {"J", 1000000000000}},
    false,       false,  6};

const std::vector<std::string>& metric_names() {
  static const std::vector<std::string> names = {"memory", "latency", "energy", "traffic", "memories.<name>.peak"};
  return names;
}

std::string metric_unit(const std::string& metric) {
  if (metric == "memory" || metric == "traffic") return "bytes";
  if (metric == "latency") return "microseconds";
  if (metric == "energy") return "microjoules";
  const std::string head = "memories.", tail = ".peak";
  const bool peak = metric.size() > head.size() + tail.size() && metric.compare(0, head.size(), head) == 0 &&
                    metric.compare(metric.size() - tail.size(), tail.size(), tail) == 0;
  if (!peak) return {};
  return yaml::detail::valid_name(metric.substr(head.size(), metric.size() - head.size() - tail.size())) ? "bytes" : "";
}

namespace {

using yaml::Node;
using yaml::Reader;
using yaml::Type;

void unknown_metric(const Location& where, const std::string& name, Reader& r) {
  const auto guess = nearest(name, {"memory", "latency", "energy", "traffic"});
  r.error(where, "no metric " + quote(name) + (guess.empty() ? "" : "; did you mean " + guess + "?"),
          "metrics are " + join_or(metric_names()));
}

/// A scalar, kept as written: what the device file's own reader makes of it is checked there.
Type<std::string> as_written() {
  auto t = yaml::text();
  t.schema.kind = yaml::Schema::Kind::quantity;  // numbers need no quotes
  t.schema.bare = true;
  t.schema.pattern = ".+";
  t.schema.words = "value, as in the device file";
  t.show = {};
  return t;
}

Type<std::vector<Axis>> axes() {
  Type<std::vector<Axis>> out;
  const auto values = yaml::one_or_more(as_written());
  out.schema.kind = yaml::Schema::Kind::map;
  out.schema.words = "mapping from a path in the device file to the values to try";
  out.schema.items = {values.schema};
  out.schema.key_pattern = "^[A-Za-z][A-Za-z0-9_-]*([.][A-Za-z0-9_-]+)*$";
  out.schema.key_word = "path";
  out.read = [values](const Node& n, Reader& r, std::vector<Axis>& v) {
    if (!yaml::detail::expect_map(n, r, "a mapping from paths in the device file to values")) return false;
    yaml::detail::check_duplicates(n, r);
    for (std::size_t i = 0; i < n.keys.size(); ++i) {
      Reader::Step step(r, n.keys[i].text);
      Axis axis{n.keys[i].text, {}, n.keys[i].where()};
      if (!values.read(n.items[i], r, axis.values)) continue;
      for (std::size_t a = 0; a < axis.values.size(); ++a)
        if (std::count(axis.values.begin(), axis.values.begin() + static_cast<std::ptrdiff_t>(a), axis.values[a]) > 0)
          r.error(n.items[i], "lists " + quote(axis.values[a]) + " twice");
      v.push_back(std::move(axis));
    }
    return true;
  };
  return out;
}

Type<std::vector<CostText>> costs() {
  Type<std::vector<CostText>> out;
  const auto cycles = yaml::whole(unit::count, 0, nn::max_cost);
  out.schema.kind = yaml::Schema::Kind::map;
  out.schema.words = "mapping from an operator's type or name to cycles";
  out.schema.items = {cycles.schema};
  out.schema.key_pattern = ".+";
  out.schema.key_word = "operator";
  out.read = [cycles](const Node& n, Reader& r, std::vector<CostText>& v) {
    if (!yaml::detail::expect_map(n, r, "a mapping from operators to cycles")) return false;
    yaml::detail::check_duplicates(n, r);
    for (std::size_t i = 0; i < n.keys.size(); ++i) {
      Reader::Step step(r, n.keys[i].text);
      CostText cost{n.keys[i].text, 0};
      if (cycles.read(n.items[i], r, cost.cycles)) v.push_back(std::move(cost));
    }
    return true;
  };
  return out;
}

/// A name, a path, or {base, axes}.
Type<DeviceSpec> device() {
  yaml::Object<DeviceSpec> fields("Device", "A device, and what to vary in it.");
  fields.required("base", &DeviceSpec::base, yaml::text(), "name in the device library, or path of a device file");
  fields.optional("axes", &DeviceSpec::axes, axes(), "paths in the device file and the values to try");
  const auto word = yaml::text();
  Type<DeviceSpec> out;
  out.schema.kind = yaml::Schema::Kind::either;
  out.schema.words = "name or path of a device, or its fields";
  out.schema.items = {word.schema, fields.schema()};
  out.read = [fields, word](const Node& n, Reader& r, DeviceSpec& v) {
    v.where = n.where();
    if (n.kind == Node::Kind::map) return fields.read(n, r, v) && !v.base.empty();
    return word.read(n, r, v.base);
  };
  return out;
}

bool read_limit(const Node& n, Reader& r, const std::string& unit, double& limit) {
  if (!yaml::detail::expect_scalar(n, r, "a limit such as \"<= 20 ms\"")) return false;
  if (n.text.compare(0, 2, "<=") != 0) {
    r.error(n, quote(n.text) + " is no limit: write \"<= ...\"");
    return false;
  }
  auto text = n.text.substr(2);
  text.erase(0, text.find_first_not_of(' ') == std::string::npos ? text.size() : text.find_first_not_of(' '));
  const auto& u = unit == "bytes" ? unit::bytes : unit == "microseconds" ? unit::time : energy_unit;
  const auto value = parse_quantity(text, u);
  if (!value.value) {
    r.error(n, value.error);
    return false;
  }
  limit = value.value->value() / (unit == "bytes" ? 1.0 : unit == "microseconds" ? 1e3 : 1e6);
  return true;
}

Type<std::vector<LimitText>> constraints() {
  Type<std::vector<LimitText>> out;
  yaml::Schema limit;
  limit.words = "limit such as \"<= 20 ms\" or \"<= 256 KiB\"";
  limit.pattern = "^<= ?[0-9].*$";
  out.schema.kind = yaml::Schema::Kind::map;
  out.schema.words = "mapping from a metric to its upper limit";
  out.schema.items = {limit};
  out.schema.key_pattern = "^(memory|latency|energy|traffic|memories[.][A-Za-z][A-Za-z0-9_-]*[.]peak)$";
  out.schema.key_word = "metric";
  out.read = [](const Node& n, Reader& r, std::vector<LimitText>& v) {
    if (!yaml::detail::expect_map(n, r, "a mapping from metrics to limits")) return false;
    yaml::detail::check_duplicates(n, r);
    for (std::size_t i = 0; i < n.keys.size(); ++i) {
      const auto unit = metric_unit(n.keys[i].text);
      Reader::Step step(r, n.keys[i].text);
      LimitText l{n.keys[i].text, 0, n.keys[i].where()};
      if (unit.empty())
        unknown_metric(n.keys[i].where(), n.keys[i].text, r);
      else if (read_limit(n.items[i], r, unit, l.limit))
        v.push_back(std::move(l));
    }
    return true;
  };
  return out;
}

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

/// The decision about the whole network that a sweep may fix.
const plan::NetworkDecision& input_decision() {
  const auto& all = plan::ChoiceRegistry::of_network();
  return *std::find_if(all.begin(), all.end(), [](const auto& d) { return d.name == "input"; });
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
    yaml::Schema list, either;
    list.kind = yaml::Schema::Kind::list;
    list.words = "list of " + value.words;
    list.items = {value};
    list.min_items = 1;
    either.kind = yaml::Schema::Kind::either;
    either.words = value.words + ", or a list of them";
    either.items = {value, list};
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

Type<std::vector<ChoiceText>> choices() {
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
      if (n.keys[i].text == "network.input") {
        Reader::Step step(r, n.keys[i].text);
        ChoiceText c{{n.keys[i].text, n.keys[i].where(), true, true}, {}};
        if (!values.read(n.items[i], r, c.values)) continue;
        check_input(c, r);
        v.push_back(std::move(c));
        continue;
      }
      if (it == registered().end()) {
        if (layer == "network") {
          r.error(n.keys[i], "network.input is the only choice of the whole network that a sweep can fix",
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

}  // namespace

const yaml::Object<SweepText>& sweep_fields() {
  static const auto fields = [] {
    yaml::Object<BudgetText> budget("Budget", "When to stop.");
    budget.optional("simulations", &BudgetText::simulations, yaml::whole(unit::count, 0, 1'000'000'000'000),
                    "whole-network simulations per network and device; 0 = no limit");
    budget.optional("time", &BudgetText::time, yaml::rational(unit::time, {0, 1}, {1'000'000'000'000'000, 1}),
                    "wall-clock time of the whole sweep; results are then not reproducible; 0 s = no limit");
    yaml::Object<ExploreText> explore("Explore", "What to look for, and how long.");
    explore.optional("objectives", &ExploreText::objectives, yaml::one_or_more(yaml::located(yaml::text())),
                     "metrics to minimise; default memory and latency");
    explore.optional("search", &ExploreText::search, yaml::choice({"exact", "exhaustive"}),
                     "exact: layer by layer, composed; exhaustive: every candidate as a whole, for small spaces");
    explore.optional("constraints", &ExploreText::constraints, constraints(), "upper limits that every point keeps");
    explore.optional("choices", &ExploreText::choices, choices(),
                     "values that the search may choose; what is left out is free");
    explore.optional("budget", &ExploreText::budget, budget.type(), "when to stop");
    explore.optional("front_points", &ExploreText::front_points, yaml::small(unit::count, 0, 1'000'000),
                     "points reported per front; 0 = all");
    explore.optional("by_phases", &ExploreText::by_phases, yaml::boolean(),
                     "try plans whose layers run a few rows at a time beside those of the search; default true");
    explore.optional("within", &ExploreText::within, yaml::rational(unit::ratio, {0, 1}, {10, 1}),
                     "also show the smallest plan whose latency (or first objective that is no memory) is at most this "
                     "share above the best, as 0.01; 0 = none; default 0.01 where latency is the only objective");
    explore.optional("plans", &ExploreText::plans, yaml::one_or_more(yaml::text()),
                     "plan files of your own, simulated and marked beside the front");
    explore.optional("seed", &ExploreText::seed, yaml::whole(unit::count, 0, std::numeric_limits<std::int64_t>::max()),
                     "of all random choices");
    explore.check([](const ExploreText& e, const Node&, Reader& r) {
      for (std::size_t i = 0; i < e.objectives.size(); ++i) {
        const auto& o = e.objectives[i];
        if (!o.given) continue;
        if (metric_unit(o.value).empty()) unknown_metric(o.where, o.value, r);
        for (std::size_t k = 0; k < i; ++k)
          if (e.objectives[k].value == o.value) r.error(o.where, "lists " + quote(o.value) + " twice");
      }
    });
    yaml::Object<SweepText> sweep("Sweep", "Networks, devices, and what to explore.");
    sweep.required("networks", &SweepText::networks, yaml::one_or_more(yaml::text()),
                   "network files (.tflite, .onnx, .dsenet, .yaml), or names of shipped networks");
    sweep.optional("shapes", &SweepText::shapes, yaml::one_or_more(yaml::located(yaml::text())),
                   "shapes of inputs that an ONNX file leaves open, as NAME=1x3x224x224");
    sweep.optional("cut", &SweepText::cut, yaml::boolean(),
                   "plan only the part of each network that can run, and leave the rest to the host; default false");
    sweep.optional("costs", &SweepText::costs, costs(),
                   "operators that cannot be run, by type or name, and the cycles that each takes as a black box");
    sweep.check([](const SweepText& s, const Node&, Reader& r) {
      nn::LoadOptions options;
      for (const auto& shape : s.shapes)
        if (const auto why = nn::add_shape(shape.value, options); !why.empty()) r.error(shape.where, why);
    });
    sweep.required("devices", &SweepText::devices, yaml::one_or_more(device()), "devices, by name, path, or with axes");
    sweep.optional("explore", &SweepText::explore, explore.type(), "what to look for, and how long");
    return sweep;
  }();
  return fields;
}

}  // namespace dse::explore
