#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "models/nn/graph/technique.h"
#include "models/nn/kernels/dse_batches.h"
#include "plan/document/document.h"
#include "plan/layer/schemes/scheme.h"
#include "plan/network/run_order.h"
#include "plan/npu/program/npu_plan.h"
#include "plan/place/contexts.h"
#include "plan/plan.h"

namespace dse::plan {
namespace {

std::string part(int n, int all, const std::string& what) {
  return n < all ? fmt::format(", {} of {} {}", n, all, what) : "";
}

/// How many rows a layer of a phased segment makes at a time; the segment's last layer drives.
std::string phases_in_words(const Plan& plan, const nn::Network& network, int op) {
  const auto segment = std::find_if(plan.segments.begin(), plan.segments.end(), [&](const Segment& s) {
    return std::find(s.operators.begin(), s.operators.end(), op) != s.operators.end();
  });
  const int driver = segment == plan.segments.end() ? op : segment->operators.back();
  const int rows = plan.choices[op].tile;
  const auto& last = network.operators[driver].name;
  std::string line = "by phases, ";
  if (rows == 0)
    line += op == driver ? std::string("all rows at once") : "what " + last + " asks for";
  else
    line += (rows == 1 ? std::string("a row") : fmt::format("{} rows", rows)) + " at a time";
  if (rows > 0 && op != driver) line += " for " + last;
  if (plan.choices[driver].strips > 1 && op == driver)
    line += fmt::format(", in {} strips of columns", plan.choices[driver].strips);
  if (plan.choices[driver].halo == shared::Halo::recomputed) line += ", shared rows computed anew";
  return line;
}

/// What is streamed more than once.
std::string again_in_words(const LayerGeometry& g) {
  if (g.order == Order::channels_outer) return ", input again per filter set, filters stay";
  if (g.order == Order::rows_outer) return ", filters again per row tile";
  return ", input again per filter set";
}

std::string buffers_in_words(const LayerGeometry& g) {
  const auto d = std::array{g.nest.input, g.nest.filters, g.nest.output};
  const auto most =
      std::max_element(d.begin(), d.end(), [](const auto& a, const auto& b) { return a.depth < b.depth; });
  std::string line = most->depth == 1   ? ", single-buffered"
                     : most->depth == 2 ? ", double-buffered"
                                        : ", triple-buffered";
  const std::array names = {"input", "filters", "output"};
  const char* before = " but the ";
  for (std::size_t i = 0; i < d.size(); ++i)
    if (d[i].varies() && d[i].depth == 1 && most->depth > 1)
      line += std::exchange(before, " and the ") + std::string(names[i]);
  return line;
}

}  // namespace

std::vector<std::string> in_words(const Plan& plan, const nn::Network& network, const hw::Device& device) {
  if (plan.npu) return npu::in_words(*plan.npu);
  std::vector<std::string> out;
  const auto geometry = geometries(network, device, plan.choices, plan.alias_reshapes);
  for (int op : layers_in(network, plan.alias_reshapes, plan.order)) {
    const auto& g = geometry[op];
    const auto& c = plan.choices[op];
    std::string line = network.operators[op].name + ": ";
    bool moved = !g.output_in_place;
    for (int i = 0; i < g.input_count; ++i) moved |= !g.inputs[i].in_place;
    const bool tiled = g.tiles > 1 || g.sets > 1 || g.steps > 1;
    if (g.placed) {
      line += network.operators[op].kind == nn::OperatorKind::pad ? "the border only, around what is made in place"
                                                                  : "nothing to do, its parts are made in place";
    } else if (g.phased) {
      line += phases_in_words(plan, network, op);
    } else if (!tiled && !moved) {
      line += "whole, where it lies";
    } else if (g.pieces) {
      line += fmt::format("in {} pieces, {}-buffered", g.tiles, c.buffering == Buffering::once ? "single" : "double");
    } else {
      line += name_of(c.scheme);
      line += part(g.tile, g.op.out_h, g.scheme->rows + std::string(" a tile"));
      line += part(g.filters, g.op.out_c, "channels a set");
      if (g.steps > 1) line += part(g.channels, g.op.in_c, "input channels a step");
      if (g.tiles > 1 && g.sets > 1) line += again_in_words(g);
      line += buffers_in_words(g);
    }
    if (const int batches = dse_batches_of(&g.op); batches > 1)
      line += fmt::format(", in {} output batches{}", batches,
                          g.op.arg[DSE_ARG_BATCH_BUFFERS] == 2 ? " of two buffers" : "");
    if (c.technique != 0) line += ", by " + nn::technique_names().at(static_cast<std::size_t>(c.technique));
    if (g.form != WeightForm::none) {
      line += c.weights_memory == kStreamed
                  ? fmt::format("; filters {} {}", g.weights_in_place ? "read in" : "streamed from",
                                device.memories[g.weights_from].name)
                  : fmt::format("; filters resident in {}", device.memories[c.weights_memory].name);
      if (g.stage_memory >= 0)
        line += fmt::format(" through {}{}", device.memories[g.stage_memory].name,
                            g.staging == Staging::sets ? " set by set" : "");
      if (g.prefetched) line += " while the layer before runs";
    }
    for (int i = 0; i < g.input_count; ++i)
      if (!g.inputs[i].way.direct() && !g.inputs[i].in_place)
        line +=
            fmt::format("; input {}from {} through {}", g.input_count > 1 ? std::to_string(i) + " " : "",
                        device.memories[g.inputs[i].home.memory].name, device.memories[g.inputs[i].way.through].name);
    line += fmt::format("; output in {}{}", device.memories[g.output.memory].name,
                        g.output.layout == TensorLayout::chw ? " as planes" : "");
    if (!g.output_way.direct()) line += " through " + device.memories[g.output_way.through].name;
    if (c.in_place && !g.placed) line += " over an input";
    if (c.engine < 0 && g.engine >= 0 && g.engine != device.compute_engine())
      line += "; on " + device.engines[g.engine].name;
    if (c.engine >= 0) line += "; on " + device.engines[c.engine].name;
    out.push_back(std::move(line));
  }
  return out;
}

}  // namespace dse::plan
