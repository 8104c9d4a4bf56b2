// JSON Schema of the network format. Declared apart from the reader (yaml/import.cpp), which a test keeps it equal to.
#include <map>

#include "base/yaml/yaml.h"
#include "models/nn/import.h"
#include "models/nn/made/network_spec.h"

namespace dse::nn {
namespace {

using yaml::Property;
using yaml::Schema;

Schema number(const std::string& words, double low, double high, bool integer) {
  Schema s;
  s.kind = Schema::Kind::quantity;
  s.words = words;
  s.pattern = integer ? "^(0|-?[1-9][0-9]*)$" : "^-?[0-9.]+(e-?[0-9]+)?$";
  s.bare = true;
  s.integer = integer;
  s.minimum = low, s.maximum = high;
  return s;
}

Schema text() {
  Schema s;
  s.words = "text";
  return s;
}

Schema words(std::vector<std::string> list) {
  Schema s;
  s.kind = Schema::Kind::choice;
  s.words = "one of the words";
  s.choices = std::move(list);
  return s;
}

Schema list(Schema element, std::size_t min, std::size_t max) {
  Schema s;
  s.kind = Schema::Kind::list;
  s.words = "list of " + element.words;
  s.items = {std::move(element)};
  s.min_items = min, s.max_items = max;
  return s;
}

Schema either(Schema a, Schema b) {
  Schema s;
  s.kind = Schema::Kind::either;
  s.words = a.words + ", or " + b.words;
  s.items = {std::move(a), std::move(b)};
  return s;
}

Schema object(const std::string& title, const std::string& description, std::vector<Property> properties) {
  Schema s;
  s.kind = Schema::Kind::object;
  s.words = "fields";
  s.title = title, s.description = description;
  s.properties = std::move(properties);
  return s;
}

Schema boolean() {
  Schema s;
  s.kind = Schema::Kind::boolean;
  s.words = "true or false";
  return s;
}

Schema count() { return number("whole number from 1", 1, 67108864, true); }
Schema extents() { return either(count(), list(count(), 2, 2)); }
Schema shape() { return list(count(), 1, 8); }
Schema sides() { return list(number("whole number from 0", 0, 32768, true), 4, 4); }

/// The field that a kind has for itself.
const std::map<OperatorKind, Property>& own_fields() {
  using K = OperatorKind;
  static const std::map<K, Property> fields = {
      {K::conv_2d, {"filters", count(), "output channels", true, {}}},
      {K::depthwise_conv_2d, {"multiplier", count(), "output channels per input channel; default: 1", false, {}}},
      {K::fully_connected, {"units", count(), "outputs", true, {}}},
      {K::add, {"with", text(), "layer whose output is added", true, {}}},
      {K::concatenation, {"with", list(text(), 1, 15), "layers whose channels follow, in this order", true, {}}},
      {K::reshape, {"shape", shape(), "of the output", true, {}}},
      {K::pad,
       {"padding",
        either(number("whole number from 0", 0, 32768, true), sides()),
        "rows above and below, columns left and right, of zero points",
        true,
        {}}},
      {K::mean, {"keep_dims", boolean(), "over rows and columns; default: false", false, {}}},
      {K::dropout,
       {"rate", number("number from 0 to 0.95", 0, 0.95, false), "share that training drops; default: 0.5", false, {}}},
      {K::softmax, {"beta", number("number from 0.001 to 1000", 1e-3, 1e3, false), "default: 1", false, {}}}};
  return fields;
}

std::vector<Property> fields_of(OperatorKind kind) {
  std::vector<Property> p = {{"name", text(), "what other layers call it", false, {}},
                             {"from", text(), "layer that it reads; default: the one before", false, {}}};
  const auto add = [&](const std::string& key, Schema s, const std::string& doc, bool required = false) {
    p.push_back({key, std::move(s), doc, required, {}});
  };
  if (const auto own = own_fields().find(kind); own != own_fields().end()) p.push_back(own->second);
  if (has_filters(kind)) add("bias", boolean(), "default: true");
  if (kind == OperatorKind::conv_2d || kind == OperatorKind::fully_connected)
    add("block", number("whole number from 1 to 32768", 1, 32768, true),
        "block-circulant weights in blocks of this size; default: 1, dense");
  if (slides(kind)) {
    const bool pool = family_of(kind) == OperatorFamily::pool;
    add("kernel", extents(), "height and width of the window", true);
    add("stride", extents(), pool ? "default: the kernel" : "default: 1");
    if (!pool) add("dilation", extents(), "default: 1");
    add("padding", either(words({"valid", "same"}), sides()),
        std::string("or [top, bottom, left, right]; default: ") + (pool ? "valid" : "same"));
  }
  if (facts_of(kind).activates())
    add("activation", words({"none", "relu", "relu6", "relu_n1_to_1"}), "after the layer");
  return p;
}

Schema layer() {
  std::vector<std::string> names;
  Schema s;
  s.kind = Schema::Kind::either;
  s.words = "one layer";
  s.items.emplace_back();
  for (const auto kind : layer_kinds) {
    names.emplace_back(layer_key(kind));
    auto fields = fields_of(kind);
    s.items.push_back(
        object(layer_key(kind), "", {{layer_key(kind), object("", "", std::move(fields)), "", true, {}}}));
  }
  s.items[0] = words(names);
  return s;
}

/// See read_training().
Schema training() {
  const auto whole = [](double low, double high) { return number("whole number", low, high, true); };
  const auto real = [](double low, double high) { return number("number", low, high, false); };
  return object(
      "Training", "How `dse train` trains the network.",
      {{"epochs", whole(1, 100000), "default: 20", false, {}},
       {"batch", whole(1, 65536), "images per step; default: 100", false, {}},
       {"optimiser", words({"adam", "sgd"}), "default: adam", false, {}},
       {"learning_rate", real(1e-9, 1e6), "default: 0.003", false, {}},
       {"momentum", real(0, 0.9999), "default: 0.9", false, {}},
       {"weight_decay", real(0, 1), "default: 0", false, {}},
       {"schedule", words({"cosine", "constant", "step"}), "of the learning rate; default: cosine", false, {}},
       {"step_every", whole(1, 100000), "epochs, with schedule step; default: 10", false, {}},
       {"step_factor", real(1e-6, 1), "with schedule step; default: 0.1", false, {}},
       {"shift", whole(0, 64), "images move by up to so many pixels; default: 0", false, {}},
       {"seed", whole(0, 9007199254740992.0), "of order, moves and dropout; default: 1", false, {}},
       {"resize", list(count(), 2, 2), "height and width that images are resized to", false, {}}});
}

}  // namespace

std::string network_schema() {
  const auto input =
      object("Input", "The network's input.",
             {{"shape", shape(), "[1, height, width, channels], or fewer", true, {}},
              {"type", words({"int8", "int16"}), "of all activations; filters have 8 bits; default: int8", false, {}},
              {"scale",
               number("number above 0", 1e-9, 1e9, false),
               "of the quantised values; default: 1/128, of int16 1/32768",
               false,
               {}},
              {"zero_point",
               number("whole number from -128 to 127", -128, 127, true),
               "default: 0, which int16 has always",
               false,
               {}}});
  return yaml::json_schema(
      object(
          "Network", "An architecture in words; weights are drawn from a seed.",
          {{"name", text(), "of the network", true, {}},
           {"seed",
            number("whole number from 0", 0, 9007199254740991.0, true),
            "of the weights; default: 1",
            false,
            {}},
           {"input", input, "what goes in", true, {}},
           {"training", training(), "for dse train", false, {}},
           {"layers", list(layer(), 1, 4096), "each reads the one before it, unless `from` names another", true, {}}}),
      "network.json");
}

}  // namespace dse::nn
