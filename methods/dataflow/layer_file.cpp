#include "methods/dataflow/layer_file.h"

#include <fmt/format.h>

#include <map>

#include "base/yaml/yaml.h"

namespace dse::plan::phases {
namespace {

constexpr std::int64_t most = std::int64_t{1} << 32;

struct LayerFields {
  yaml::Name name;
  std::vector<yaml::Name> from;
  std::int64_t rows = 1, row_elements = 1, window = 1, stride = 1, pad = 0, crop = 0;
  bool whole = false, elementwise = false, output = false;
};

struct FileFields {
  std::string name = "layers";
  yaml::Located<std::vector<LayerFields>> layers;
  yaml::Located<std::vector<PhaseCount>> phases;
};

/// A number of phases, or `max`.
yaml::Type<PhaseCount> phase_count() {
  const auto number = yaml::whole(unit::count, 1, max_rows);
  yaml::Type<PhaseCount> t;
  t.schema = yaml::text().schema;
  t.read = [number](const yaml::Node& n, yaml::Reader& r, PhaseCount& out) {
    if (n.kind == yaml::Node::Kind::scalar && n.text == "max") return true;
    std::int64_t count = 0;
    if (n.kind != yaml::Node::Kind::scalar || n.text.find_first_not_of("0123456789") != std::string::npos) {
      r.error(n, "is neither a number of phases nor max");
      return false;
    }
    if (!number.read(n, r, count)) return false;
    out.count = count;
    return true;
  };
  return t;
}

const yaml::Object<FileFields>& fields() {
  static const auto made = [] {
    const auto extent = [](std::int64_t least) { return yaml::whole(unit::count, least, most); };
    yaml::Object<LayerFields> layer("Layer", "A layer, or an input where `from` is missing.");
    layer.required("name", &LayerFields::name, yaml::name(), "what the layer is called");
    layer.optional("from", &LayerFields::from, yaml::list_of(yaml::located(yaml::text())),
                   "layers whose output it reads");
    layer.required("rows", &LayerFields::rows, extent(1), "rows of its output");
    layer.required("row_elements", &LayerFields::row_elements, extent(1), "elements in a row of its output");
    layer.optional("window", &LayerFields::window, extent(1), "input rows that an output row is made of");
    layer.optional("stride", &LayerFields::stride, extent(1), "rows by which the window advances");
    layer.optional("pad", &LayerFields::pad, extent(0), "rows added above the input");
    layer.optional("crop", &LayerFields::crop, extent(0), "rows cut off above the input");
    layer.optional("whole", &LayerFields::whole, yaml::boolean(), "every output row reads the whole input");
    layer.optional("elementwise", &LayerFields::elementwise, yaml::boolean(), "may be merged into the layer before it");
    layer.optional("output", &LayerFields::output, yaml::boolean(), "its output is one of the network's");
    yaml::Object<FileFields> file("Layers", "Layers with rows, and the phases they run in.");
    file.optional("name", &FileFields::name, yaml::text(), "of the network");
    file.optional("layers", &FileFields::layers, yaml::list_of(layer.type(), 1, 100'000),
                  "in an order in which they can run");
    file.optional("phases", &FileFields::phases, yaml::list_of(phase_count(), 1, 100'000),
                  "per input and layer: a number, or max");
    return file;
  }();
  return made;
}

LayerGraph graph_of(const FileFields& file, Diagnostics& diags) {
  LayerGraph g;
  g.name = file.name;
  std::map<std::string, int> known;
  for (const auto& l : file.layers.value) {
    const int at = static_cast<int>(g.layers.size());
    Layer layer;
    layer.name = l.name.value, layer.rows = l.rows, layer.row_elements = l.row_elements;
    layer.source = l.from.empty(), layer.elementwise = l.elementwise, layer.output = l.output;
    for (const auto& from : l.from) {
      const auto maker = known.find(from.value);
      if (maker == known.end()) {
        diags.error(from.where, fmt::format("there is no layer '{}' before '{}'", from.value, l.name.value));
        continue;
      }
      const Layer& before = g.layers[static_cast<std::size_t>(maker->second)];
      g.edges.push_back({maker->second,
                         at,
                         before.rows,
                         before.row_elements,
                         {l.window, l.stride, l.pad - l.crop, l.whole},
                         maker->second});
      layer.at_once = layer.at_once || l.whole || (l.window >= before.rows && l.pad == 0 && l.window > 1);
    }
    g.layers.push_back(layer);
    if (!known.emplace(l.name.value, at).second)
      diags.error(l.name.where, fmt::format("a second layer '{}'", l.name.value));
  }
  return g;
}

}  // namespace

std::optional<LayerFile> read_layer_file(std::string_view text, const std::string& file, bool layers_wanted,
                                         Diagnostics& diags) {
  FileFields read;
  Diagnostics found;
  LayerFile out;
  if (yaml::read_text(text, file, fields(), {}, found, read)) {
    if (read.layers.present != layers_wanted)
      found.error(read.layers.present ? read.layers.where : Location{file, 1, 1},
                  layers_wanted ? "layers: is missing" : "layers: does not belong here",
                  layers_wanted ? "" : "phases: of a network is all that this file says");
    if (read.layers.present && layers_wanted) out.graph = graph_of(read, found);
    if (out.graph && !found.has_errors())
      if (const auto defect = defect_of(*out.graph); !defect.empty()) found.error(read.layers.where, defect);
    if (read.phases.present) out.phases = read.phases.value, out.phases_at = read.phases.where;
  }
  for (const auto& d : found.list()) diags.add(d);
  if (found.has_errors()) return std::nullopt;
  return out;
}

}  // namespace dse::plan::phases
