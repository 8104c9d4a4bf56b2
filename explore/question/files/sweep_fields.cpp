#include "explore/question/files/sweep_fields.h"

#include <algorithm>

#include "base/suggest.h"
#include "deploy/export/kernels.h"
#include "explore/question/axes.h"
#include "explore/question/flash.h"
#include "explore/question/metric.h"
#include "models/nn/graph/price.h"

namespace dse::explore {

namespace {

using yaml::Node;
using yaml::Reader;
using yaml::Type;

void unknown_metric(const Location& where, const std::string& name, Reader& r) {
  if (const auto why = why_not_searched(name); !why.empty())
    return r.error(where, why, "weights and memories have limits");
  const auto guess = nearest(name, plain_metrics());
  r.error(where, "no metric " + quote(name) + (guess.empty() ? "" : "; did you mean " + guess + "?"),
          "metrics are " + join_or(metric_names()));
}

Type<std::vector<Axis>> axes(const char* where) {
  Type<std::vector<Axis>> out;
  const auto values = yaml::one_or_more(as_written());
  out.schema.kind = yaml::Schema::Kind::map;
  out.schema.words = "mapping from a path in the " + std::string(where) + " file to the values to try";
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

/// A text, which is `word`, or a map of fields. T::where is set either way.
template <class T>
Type<T> word_or_fields(const char* words, std::string T::*word, const yaml::Object<T>& fields) {
  const auto text = yaml::text();
  Type<T> out;
  out.schema.kind = yaml::Schema::Kind::either;
  out.schema.words = words;
  out.schema.items = {text.schema, fields.schema()};
  out.read = [fields, text, word](const Node& n, Reader& r, T& v) {
    v.where = n.where();
    return n.kind == Node::Kind::map ? fields.read(n, r, v) : text.read(n, r, v.*word);
  };
  return out;
}

/// A name, a path, {base, axes, ...} of variants to be made, or {file, accuracy, ...} of a network that is there.
Type<NetworkText> network() {
  yaml::Object<NetworkText> fields("Network", "A network whose variants are made, or what is known of a network.");
  const auto share = [] { return yaml::rational(unit::ratio, {0, 1}, {1, 1}); };
  fields.optional("base", &NetworkText::base, yaml::text(),
                  "network file or name of a shipped one: its variants are made");
  fields.optional("axes", &NetworkText::axes, axes("network"),
                  "LAYER.FIELD of the network file, as fc0.block, and the values to try; bits: 8, 16 (Q formats); "
                  "domain: time, frequency, of circulant layers");
  fields.optional("data", &NetworkText::data, yaml::text(),
                  "data set that variants are trained and measured on: a folder, or made; without it accuracy is a "
                  "proxy");
  fields.optional("epochs", &NetworkText::epochs, yaml::small(unit::count, 0, 100000),
                  "of training, instead of the file's; of a base that has weights: of fine-tuning");
  fields.optional("images", &NetworkText::images, yaml::small(unit::count, 0, 100000000),
                  "only so many of each part of the data; 0 = all");
  fields.optional("file", &NetworkText::file, yaml::text(), "network file or name of a shipped one");
  fields.optional("of", &NetworkText::of, yaml::text(), "with `file`: what it is a variant of, with its `axes`");
  fields.optional("accuracy", &NetworkText::accuracy, share(), "with `file`: share of labels that it gets right");
  fields.optional("accuracy_of", &NetworkText::accuracy_of, yaml::text(), "with `accuracy`: where it is from");
  fields.optional("equal_dense", &NetworkText::equal_dense, share(),
                  "with `file`: accuracy of the dense network of as many parameters");
  fields.check([](NetworkText& n, const Node& node, Reader& r) {
    if (n.file.empty() == n.base.empty()) r.error(node, "a network has either a file or a base");
    if (!n.base.empty() && (n.accuracy || n.equal_dense || !n.of.empty()))
      r.error(node, "what is known of a network goes with `file`: that of variants is found out");
    if (!n.file.empty() && (!n.data.empty() || n.epochs > 0)) r.error(node, "data and epochs go with `base`");
  });
  return word_or_fields("network file or name, or its fields", &NetworkText::file, fields);
}

/// A name, a path, or {base, axes}.
Type<DeviceSpec> device() {
  yaml::Object<DeviceSpec> fields("Device", "A device, and what to vary in it.");
  fields.required("base", &DeviceSpec::base, yaml::text(), "name in the device library, or path of a device file");
  fields.optional("axes", &DeviceSpec::axes, axes("device"), "paths in the device file and the values to try");
  auto out = word_or_fields("name or path of a device, or its fields", &DeviceSpec::base, fields);
  const auto read = out.read;
  out.read = [read](const Node& n, Reader& r, DeviceSpec& v) { return read(n, r, v) && !v.base.empty(); };
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
  const auto value = parse_metric(text, unit);
  if (!value.value) {
    r.error(n, value.error);
    return false;
  }
  limit = *value.value;
  return true;
}

}  // namespace

Type<std::vector<LimitText>> limits_type() {
  Type<std::vector<LimitText>> out;
  yaml::Schema limit;
  limit.words = "limit such as \"<= 20 ms\" or \"<= 256 KiB\"";
  limit.pattern = "^<= ?[0-9].*$";
  out.schema.kind = yaml::Schema::Kind::map;
  out.schema.words = "mapping from a metric to its upper limit";
  out.schema.items = {limit};
  for (const auto& name : plain_metrics())
    if (name != "accuracy") out.schema.key_pattern += name + "|";  // which nobody wants to be small
  out.schema.key_pattern = "^(" + out.schema.key_pattern + "memories[.][A-Za-z][A-Za-z0-9_-]*[.]peak)$";
  out.schema.key_word = "metric";
  out.read = [](const Node& n, Reader& r, std::vector<LimitText>& v) {
    if (!yaml::detail::expect_map(n, r, "a mapping from metrics to limits")) return false;
    yaml::detail::check_duplicates(n, r);
    for (std::size_t i = 0; i < n.keys.size(); ++i) {
      const auto unit = metric_unit(n.keys[i].text);
      Reader::Step step(r, n.keys[i].text);
      LimitText l{n.keys[i].text, 0, n.keys[i].where()};
      if (unit == "share")
        r.error(n.keys[i].where(), "accuracy has no upper limit", "as an objective the largest is best");
      else if (unit.empty())
        unknown_metric(n.keys[i].where(), n.keys[i].text, r);
      else if (read_limit(n.items[i], r, unit, l.limit))
        v.push_back(std::move(l));
    }
    return true;
  };
  return out;
}

const yaml::Object<SweepText>& sweep_fields() {
  static const auto fields = [] {
    yaml::Object<BudgetText> budget("Budget", "When to stop.");
    budget.optional("simulations", &BudgetText::simulations, yaml::whole(unit::count, 0, 1'000'000'000'000),
                    "schedules of layers and whole plans that are simulated, per network and device; 0 = no limit");
    budget.optional("time", &BudgetText::time, yaml::rational(unit::time, {0, 1}, {1'000'000'000'000'000, 1}),
                    "wall-clock time of the whole sweep; results are then not reproducible; 0 s = no limit");
    budget.optional("memory", &BudgetText::memory, yaml::whole(unit::bytes, kLeastMemory, std::int64_t{1} << 50),
                    "what all processes together may take; default: half of the machine's");
    yaml::Object<ExploreText> explore("Explore", "What to look for, and how long.");
    explore.optional("objectives", &ExploreText::objectives, yaml::one_or_more(yaml::located(yaml::text())),
                     "metrics to minimise; default memory and latency");
    explore.optional("search", &ExploreText::search, yaml::choice({"exact", "exhaustive"}),
                     "exact: layer by layer, composed; exhaustive: every candidate as a whole, for small spaces");
    explore.optional("constraints", &ExploreText::constraints, limits_type(), "upper limits that every point keeps");
    explore.optional("choices", &ExploreText::choices, choice_fields(),
                     "values that the search may choose; what is left out is free");
    explore.optional("budget", &ExploreText::budget, budget.type(), "when to stop");
    explore.optional("kernels", &ExploreText::kernels, yaml::choice(deploy::kernel_set_names()),
                     "whose kernels a package will call, which `ram` counts; default reference");
    explore.optional("front_points", &ExploreText::front_points, yaml::small(unit::count, 0, 1'000'000),
                     "points reported per front; 0 = all");
    explore.optional("by_phases", &ExploreText::by_phases, yaml::boolean(),
                     "try plans whose layers run a few rows at a time beside those of the search; default true");
    explore.optional("max_calls", &ExploreText::max_calls, yaml::small(unit::count, 1, 1'000'000),
                     "kernel calls that a layer may take; schedules of more save little memory and take very long; "
                     "default 512");
    explore.optional("within", &ExploreText::within, yaml::rational(unit::ratio, {0, 1}, {10, 1}),
                     "also show the smallest plan whose latency (or first objective that is no memory) is at most this "
                     "share above the best, as 0.01; 0 = none; default 0.01 where latency is the only objective");
    explore.optional("without", &ExploreText::without, yaml::one_or_more(yaml::choice(axis_names())),
                     "search once more without each of these, and say what it adds");
    explore.optional("plans", &ExploreText::plans, yaml::one_or_more(yaml::text()),
                     "plan files of your own, simulated and marked beside the front");
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
    sweep.required("networks", &SweepText::networks, yaml::one_or_more(network()),
                   "network files (.tflite, .onnx, .dsenet, .yaml), names of shipped networks, or variants of one");
    sweep.optional("shapes", &SweepText::shapes, yaml::one_or_more(yaml::located(yaml::text())),
                   "shapes of inputs that an ONNX file leaves open, as NAME=1x3x224x224");
    sweep.optional("cut", &SweepText::cut, yaml::boolean(),
                   "plan only the part of each network that can run, and leave the rest to the host; default false");
    sweep.optional("float_io", &SweepText::float_io, yaml::boolean(),
                   "keep what only converts between FLOAT32 and integers at a network's ends on the device; default "
                   "false: the host's");
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
