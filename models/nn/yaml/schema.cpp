// JSON Schema of the network format. Declared apart from the reader (yaml/import.cpp), which a test keeps it equal to.
#include "base/yaml/yaml.h"
#include "models/nn/import.h"
#include "models/nn/made/seeded_network.h"

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

std::vector<Property> fields_of(OperatorKind kind) {
  std::vector<Property> p = {{"name", text(), "what other layers call it", false, {}},
                             {"from", text(), "layer that it reads; default: the one before", false, {}}};
  const auto add = [&](const std::string& key, Schema s, const std::string& doc, bool required = false) {
    p.push_back({key, std::move(s), doc, required, {}});
  };
  const auto activation = [&] {
    add("activation", words({"none", "relu", "relu6", "relu_n1_to_1"}), "after the layer");
  };
  const auto window = [&](bool pool) {
    add("kernel", extents(), "height and width of the window", true);
    add("stride", extents(), pool ? "default: the kernel" : "default: 1");
    if (!pool) add("dilation", extents(), "default: 1");
    add("padding", either(words({"valid", "same"}), sides()),
        std::string("or [top, bottom, left, right]; default: ") + (pool ? "valid" : "same"));
    activation();
  };
  switch (kind) {
    case OperatorKind::conv_2d:
      add("filters", count(), "output channels", true);
      add("bias", boolean(), "default: true");
      window(false);
      break;
    case OperatorKind::depthwise_conv_2d:
      add("multiplier", count(), "output channels per input channel; default: 1");
      add("bias", boolean(), "default: true");
      window(false);
      break;
    case OperatorKind::average_pool_2d:
    case OperatorKind::max_pool_2d:
      window(true);
      break;
    case OperatorKind::fully_connected:
      add("units", count(), "outputs", true);
      add("bias", boolean(), "default: true");
      activation();
      break;
    case OperatorKind::add:
      add("with", text(), "layer whose output is added", true);
      activation();
      break;
    case OperatorKind::reshape:
      add("shape", shape(), "of the output", true);
      break;
    case OperatorKind::pad:
      add("padding", either(number("whole number from 0", 0, 32768, true), sides()),
          "rows above and below, columns left and right, of zero points", true);
      break;
    case OperatorKind::mean:
      add("keep_dims", boolean(), "over rows and columns; default: false");
      break;
    case OperatorKind::softmax:
      add("beta", number("number from 0.001 to 1000", 1e-3, 1e3, false), "default: 1");
      break;
    default:
      break;
  }
  return p;
}

Schema layer() {
  std::vector<std::string> names;
  Schema s;
  s.kind = Schema::Kind::either;
  s.words = "one layer";
  s.items.emplace_back();
  for (const auto kind : layer_kinds) {
    names.emplace_back(key_of(kind));
    auto fields = fields_of(kind);
    s.items.push_back(object(key_of(kind), "", {{key_of(kind), object("", "", std::move(fields)), "", true, {}}}));
  }
  s.items[0] = words(names);
  return s;
}

}  // namespace

std::string network_schema() {
  const auto input = object(
      "Input", "The network's input.",
      {{"shape", shape(), "[1, height, width, channels], or fewer", true, {}},
       {"scale", number("number above 0", 1e-9, 1e9, false), "of the quantised values; default: 1/128", false, {}},
       {"zero_point", number("whole number from -128 to 127", -128, 127, true), "default: 0", false, {}}});
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
           {"layers", list(layer(), 1, 4096), "each reads the one before it, unless `from` names another", true, {}}}),
      "network.json");
}

}  // namespace dse::nn
