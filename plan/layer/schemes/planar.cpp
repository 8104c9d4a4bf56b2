// One channel plane, or a band of its rows, at a time. Convolutions keep partial sums over input channels in the
// nearest memory until the last step.
#include <algorithm>

#include "base/units.h"
#include "plan/layer/layer_tasks.h"
#include "plan/layer/schemes/scheme.h"

namespace dse::plan {
namespace {

std::vector<int> planar_tiles(const LayerContext& c) { return piece_sizes(c.kernel().out_h); }

std::vector<int> planar_filters(const LayerContext& c) {
  const auto& k = c.kernel();
  if (accumulates(k.kind)) return filter_sizes(c);
  const int unit = std::max(1, k.kind == DSE_DEPTHWISE_CONV_2D ? k.multiplier : 1);
  auto out = piece_sizes(k.out_c / unit);
  for (int& n : out) n *= unit;
  std::reverse(out.begin(), out.end());  // plane by plane first
  return out;
}

std::vector<int> planar_channels(const LayerContext& c) {
  if (!accumulates(c.kernel().kind)) return {0};
  const int all = c.kernel().in_c;
  std::vector<int> out = {all > 4 ? 4 : 1};
  for (const int n : piece_sizes(all))
    if (n > 0 && n != out.front()) out.push_back(n);
  return out;
}

std::string prepare_planes(LayerGeometry& g, const LayerContext&, const LayerChoice& l) {
  g.tile_layout = TensorLayout::chw;
  if (accumulates(g.op.kind)) {
    g.channels = pick(l.channels, g.op.in_c);
    g.steps = static_cast<int>(ceil_div(std::int64_t{g.op.in_c}, g.channels));
  }
  return {};
}

class PlanarSteps : private LayerTasks {
 public:
  using LayerTasks::LayerTasks;

  void run() {
    const bool copies = copies_weights();
    const View far_planes = planes(g_.stage_memory >= 0 ? g_.stage_memory : g_.weights_from,
                                   (g_.stage_memory >= 0 ? (g_.find("stage") ? local("stage") : 0) : o_.weights) +
                                       std::int64_t{record_head()} * g_.op.out_c,
                                   g_.op.out_c, 0, 0);
    if (copies && g_.stage_memory >= 0) stage_all();
    open(set_loop_, g_.sets);
    if (copies) load_params();
    open(row_loop_, g_.tiles);
    auto load = [&](int ahead, bool first) {
      const Range k =
          first ? Range{0, g_.channels, g_.op.in_c, 0, -1} : Range::tiles(step_loop_, g_.channels, g_.op.in_c, ahead);
      std::vector<Dependency> after = {{kCompute, 0}};
      if (first && restarts_on_same_slot()) after.push_back({kStore, 0});
      load_inputs(band_rows(), k, after);
      if (!copies) return;
      if (g_.stage_memory >= 0) after.push_back({kStage, 0});
      copy(far_planes, near_planes(), Range::tiles(set_loop_, g_.filters, g_.op.out_c), Range::whole(taps()), k,
           kWeights, 0, after);
    };
    load(0, true);
    open(step_loop_, g_.steps);
    if (double_()) load(1, false);
    std::vector<Dependency> after;
    for (int i = 0; i < g_.input_count; ++i)
      if (!g_.inputs[i].in_place) after.push_back({static_cast<std::uint8_t>(i ? kInput1 : kInput0), held()});
    if (copies) after.push_back({kWeights, held()}), after.push_back({kParams, 0});
    if (!g_.output_in_place && (g_.tiles > 1 || g_.sets > 1)) after.push_back(output_free(tiled_inputs() || copies));
    compute(std::move(after));
    if (!double_()) load(1, false);
    close(step_loop_);
    store(Range::tiles(set_loop_, g_.filters, g_.op.out_c));
    close(row_loop_);
    close(set_loop_);
  }
};

void emit_planes(program::Program& p, const LayerContext& c, const LayerGeometry& g, const LayerOffsets& o) {
  if (g.steps > 1)
    PlanarSteps(p, c, g, o).run();
  else
    emit_in_order(p, c, g, o);
}

}  // namespace

const TilingScheme& planar_scheme() {
  static const TilingScheme scheme = {
      .name = "planar",
      .doc = "one plane at a time with partial sums",
      .rows = "rows",
      .suits = [](const LayerContext&, const LayerChoice&) { return true; },
      .tiles = planar_tiles,
      .filters = planar_filters,
      .channels = planar_channels,
      .prepare = prepare_planes,
      .emit = emit_planes,
  };
  return scheme;
}

}  // namespace dse::plan
