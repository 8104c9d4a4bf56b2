#include "models/nn/yaml/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "models/nn/import.h"
#include "models/nn/made/network_spec.h"

namespace dse::nn {
namespace {

/// The layers of a file, each as {key, name, fields}; fields of a layer of one word are none.
struct NamedLayer {
  std::string key, name;
  YAML::Node fields;
  std::size_t index = 0;
};

std::vector<NamedLayer> named_layers(const YAML::Node& root) {
  std::vector<NamedLayer> out;
  std::map<std::string, int> numbers;
  const YAML::Node layers = root.IsMap() ? root["layers"] : YAML::Node();
  if (!layers || !layers.IsSequence()) return out;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const YAML::Node node = layers[i];
    NamedLayer l;
    l.index = i;
    if (node.IsScalar()) {
      l.key = node.Scalar();
    } else if (node.IsMap() && node.size() == 1) {
      l.key = node.begin()->first.Scalar(), l.fields.reset(node.begin()->second);
    } else {
      continue;
    }
    l.name = l.key + std::to_string(numbers[l.key]++);
    if (l.fields.IsMap() && l.fields["name"]) l.name = l.fields["name"].Scalar();
    out.push_back(std::move(l));
  }
  return out;
}

/// Where a layer says how wide it is.
const char* width_of(const std::string& key) {
  return key == "fully_connected" ? "units" : key == "conv" ? "filters" : nullptr;
}

std::int64_t parameters_of(const std::string& text) {
  Diagnostics ignored;
  const auto n = import_yaml(text, "", ignored, LoadOptions::floating());
  return n ? n->parameters() : -1;
}

std::string written(const YAML::Node& root) {
  YAML::Emitter out;
  out << root;
  return out.c_str();
}

/// Hidden layers so many times as wide, without blocks.
std::string scaled(const std::string& text, double factor) {
  YAML::Node root = YAML::Load(text);
  auto layers = named_layers(root);
  std::size_t last = 0;
  for (std::size_t i = 0; i < layers.size(); ++i)
    if (width_of(layers[i].key)) last = i;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const char* field = width_of(layers[i].key);
    if (!field || !layers[i].fields.IsMap()) continue;
    layers[i].fields.remove("block");
    std::int64_t width = 0;
    if (i == last || !layers[i].fields[field] || !parse_integer(layers[i].fields[field].Scalar(), width)) continue;
    layers[i].fields[field] = std::max<std::int64_t>(1, std::llround(factor * static_cast<double>(width)));
  }
  return written(root);
}

}  // namespace

void read_training(const YAML::Node& node, train::Options& o, YamlReport& report) {
  YamlFields f(node, "training", report);
  const auto whole = [&](const char* key, int lo, int hi, int fallback) {
    return static_cast<int>(f.integer(key, false, lo, hi, fallback));
  };
  o.epochs = whole("epochs", 1, 100000, o.epochs), o.batch = whole("batch", 1, 65536, o.batch);
  o.optimiser = f.word("optimiser", {"adam", "sgd"}, 0) == 0 ? train::Optimiser::adam : train::Optimiser::sgd;
  o.learning_rate = f.number("learning_rate", 1e-9, 1e6, o.learning_rate);
  o.momentum = f.number("momentum", 0, 0.9999, o.momentum);
  o.weight_decay = f.number("weight_decay", 0, 1, o.weight_decay);
  static constexpr train::Schedule schedules[] = {train::Schedule::cosine, train::Schedule::constant,
                                                  train::Schedule::step};
  o.schedule = schedules[f.word("schedule", {"cosine", "constant", "step"}, 0)];
  o.step_every = whole("step_every", 1, 100000, o.step_every);
  o.step_factor = f.number("step_factor", 1e-6, 1, o.step_factor);
  o.shift = whole("shift", 0, 64, o.shift);
  o.seed = static_cast<std::uint64_t>(f.integer("seed", false, 0, std::int64_t{1} << 53, 1));
  o.resize = f.extents("resize", false, 2, false, 4096);
  f.finish();
}

std::optional<train::Options> training_options(const std::string& text, const std::string& file, Diagnostics& diags) {
  train::Options options;
  YamlReport report(file, diags);
  try {
    const YAML::Node root = YAML::Load(text);
    if (root.IsMap() && root["training"]) read_training(root["training"], options, report);
  } catch (const YAML::Exception& e) {
    report.error(e.mark, e.msg);
  }
  if (report.failed()) return std::nullopt;
  return options;
}

std::optional<std::string> with_fields(const std::string& text,
                                       const std::vector<std::pair<std::string, std::string>>& fields,
                                       const std::string& file, Diagnostics& diags) {
  try {
    YAML::Node root = YAML::Load(text);
    auto layers = named_layers(root);
    for (const auto& [path, value] : fields) {
      const auto dot = path.rfind('.');
      const std::string name = path.substr(0, dot), field = dot == std::string::npos ? "" : path.substr(dot + 1);
      const auto layer = std::find_if(layers.begin(), layers.end(), [&](const auto& l) { return l.name == name; });
      if (layer == layers.end() || field.empty()) {
        std::vector<std::string> known;
        for (const auto& l : layers) known.push_back(l.name);
        diags.error({file, 0, 0}, fmt::format("axis '{}': the network has no layer '{}'", path, name),
                    fmt::format("LAYER.FIELD, where layers are {}", fmt::join(known, ", ")));
        return std::nullopt;
      }
      if (!layer->fields.IsMap()) {
        YAML::Node made;
        made[layer->key] = YAML::Node(YAML::NodeType::Map);
        root["layers"][layer->index] = made;
        layer->fields.reset(made[layer->key]);
      }
      layer->fields[field] = value;
    }
    return written(root);
  } catch (const YAML::Exception& e) {
    YamlReport(file, diags).error(e.mark, e.msg);
    return std::nullopt;
  }
}

std::string dense_of(const std::string& text) {
  try {
    return scaled(text, 1);
  } catch (const YAML::Exception&) {
    return {};
  }
}

std::optional<std::string> equal_dense(const std::string& text) {
  try {
    const std::int64_t wanted = parameters_of(text);
    std::string best;
    std::int64_t off = -1;
    double low = 0, high = 1;
    if (wanted < 0 || parameters_of(scaled(text, 1)) <= wanted) return std::nullopt;
    for (int i = 0; i < 24; ++i) {
      const double middle = (low + high) / 2;
      const std::string made = scaled(text, middle);
      const std::int64_t has = parameters_of(made);
      if (has < 0) return std::nullopt;
      if (off < 0 || std::abs(has - wanted) < off) off = std::abs(has - wanted), best = made;
      (has > wanted ? high : low) = middle;
    }
    return best;
  } catch (const YAML::Exception&) {
    return std::nullopt;
  }
}

}  // namespace dse::nn
