#include "plan/layer/nest/nest_tasks.h"

#include <algorithm>

#include "plan/layer/nest/loops.h"

namespace dse::plan {

NestTasks::NestTasks(program::Program& p, const LayerContext& c, const LayerGeometry& g, const LayerOffsets& o)
    : LayerViews(g, o), p_(p), device_(*c.device) {
  p_.operators.push_back(g.op);
  kernel_ = static_cast<int>(p_.operators.size()) - 1;
}

void NestTasks::copy(const View& from, const View& to, Range y, Range x, Range c, Slot slot, int channel,
                     Dependencies after) {
  auto payload = std::make_shared<program::CopyPayload>();
  payload->from = from;
  payload->to = to;
  payload->y = y, payload->x = x, payload->c = c;
  const int engine = device_.copy_engine(from.arena, to.arena);
  ensure(engine >= 0, "no copy engine between two memories of a feasible layer");
  program::TaskTemplate t;
  t.kind = &program::copy_kind();
  t.queue = queue_of(device_, engine, channel);
  t.slot = slot;
  t.dependencies = std::move(after);
  t.payload = std::move(payload);
  p_.task(std::move(t));
}

bool NestTasks::copies_inputs() const {
  return std::any_of(g_.inputs.begin(), g_.inputs.begin() + g_.input_count,
                     [](const auto& in) { return !in.in_place; });
}

/// Input rows that output tiles up to and including tile i need: first + (i + 1) * fresh, clamped. The first tile
/// brings them all, the others those that the one before did not need.
NestTasks::Range NestTasks::rows_of(Turn turn) const {
  const int window = (g_.op.kernel_h - 1) * g_.op.dilation_h + 1, fresh = fresh_rows(g_);
  const int first = window - g_.op.stride_h - g_.op.pad_top;
  const int last = std::clamp((g_.op.out_h - 1) * g_.op.stride_h + window - g_.op.pad_top, 0, g_.op.in_h);
  const int n = turn.number;
  if (turn.ahead)
    return {first + n * fresh, first + (n + 1) * fresh, last, fresh, static_cast<std::int8_t>(index(Loop::rows))};
  return {n == 0 ? 0 : first + n * fresh, std::max(0, first + (n + 1) * fresh), last, 0, -1};
}

/// All rows of the window of the tile that is computed.
NestTasks::Range NestTasks::band() const {
  return {-g_.op.pad_top, window_rows(g_) - g_.op.pad_top, g_.op.in_h, fresh_rows(g_),
          static_cast<std::int8_t>(index(Loop::rows))};
}

NestTasks::InputPart NestTasks::part_of(Turn turn) const {
  const auto loop = g_.nest.input.varies() ? g_.nest.loops[static_cast<std::size_t>(g_.nest.input.loop)] : Loop::rows;
  // Of the other loops: as they stand.
  const auto part = [&](Loop which) {
    return along(which, tile_channels(g_), g_.op.in_c, loop == which ? turn : Turn{0, true});
  };
  const auto rows = loads_bands(g_) ? band() : rows_of(loop == Loop::rows ? turn : Turn{});
  if (g_.steps > 1) return {rows, part(Loop::steps)};
  return {rows, g_.channelwise && g_.sets > 1 ? part(Loop::sets) : Range::whole(g_.op.in_c)};
}

void NestTasks::load_inputs(Turn turn, const Dependencies& after) {
  const auto part = part_of(turn);
  for (int i = 0; i < g_.input_count; ++i) {
    const auto& in = g_.inputs[i];
    if (in.in_place) continue;
    auto all = after;
    if (!in.way.direct()) all.push_back({i ? kBetween1 : kBetween0, 0});
    copy(in.way.direct() ? home_of_input(i) : input_between(i), input_view(i), part.rows, Range::whole(g_.op.in_w),
         part.channels, i ? kInput1 : kInput0, 0, std::move(all));
  }
}

/// Into the memory between, a tile ahead of the loads from there. It takes the place of the tile before the last that
/// was loaded.
void NestTasks::bring_inputs(Turn turn, const Dependencies& after) {
  const auto part = part_of(turn);
  for (int i = 0; i < g_.input_count; ++i) {
    const auto& in = g_.inputs[i];
    if (in.in_place || in.way.direct()) continue;
    auto all = after;
    all.push_back({i ? kInput1 : kInput0, 1});
    copy(home_of_input(i), input_between(i), part.rows, Range::whole(g_.op.in_w), part.channels,
         i ? kBetween1 : kBetween0, 0, std::move(all));
  }
}

void NestTasks::load_filters(Turn turn, const Dependencies& after) {
  if (!copies_filters()) return;
  if (g_.form == WeightForm::plane_major)
    load_planes(turn, after);
  else
    load_records(turn, after);
}

/// Filter records, set by set. Those that pass through another memory are brought there one set earlier.
void NestTasks::load_records(Turn turn, Dependencies after) {
  const int depth = g_.nest.filters.depth;
  if (stages_sets() && !turn.ahead) stage_set(turn, {});
  if (stages_sets() && turn.ahead && depth == 1) stage_set(turn, {{kWeights, 0}});
  View from = records(g_.weights_from, o_.weights, g_.op.out_c);
  if (stages()) {
    from = records(g_.stage_memory, local("stage"), stages_sets() ? ring_records() : g_.op.out_c);
    after.push_back({kStage, 0});
  }
  if (!g_.prefetched || stages())
    copy(from, records(g_.near, local("weights"), ring_records()), along(Loop::sets, g_.filters, g_.op.out_c, turn),
         Range::whole(1), Range::whole(static_cast<int>(g_.record)), kWeights, 0, std::move(after));
  if (!stages_sets() || depth == 1) return;
  if (turn.ahead)
    stage_set({depth, true}, {{kWeights, static_cast<std::uint8_t>(depth - 1)}});
  else if (turn.number == depth - 2)
    stage_set({depth - 1, false}, {});
}

void NestTasks::stage_set(Turn turn, Dependencies after) {
  copy(records(g_.weights_from, o_.weights, g_.op.out_c), records(g_.stage_memory, local("stage"), ring_records()),
       along(Loop::sets, g_.filters, g_.op.out_c, turn), Range::whole(1), Range::whole(static_cast<int>(g_.record)),
       kStage, 0, std::move(after));
}

void NestTasks::stage_all() {
  if (g_.form == WeightForm::filter_major)
    return copy(records(g_.weights_from, o_.weights, g_.op.out_c),
                records(g_.stage_memory, local("stage"), g_.op.out_c), Range::whole(g_.op.out_c), Range::whole(1),
                Range::whole(static_cast<int>(g_.record)), kStage, 0, {});
  copy(flat(g_.weights_from, o_.weights), flat(g_.stage_memory, local("stage")), Range::whole(1), Range::whole(1),
       Range::whole(static_cast<int>(g_.weight_bytes)), kStage, 0, {});
}

/// Planes of filters: of the input channels of a step, for the filters of a set.
void NestTasks::load_planes(Turn turn, Dependencies after) {
  const auto from =
      planes(stages() ? g_.stage_memory : g_.weights_from,
             (stages() ? local("stage") : o_.weights) + std::int64_t{record_head()} * g_.op.out_c, g_.op.out_c, 0, 0);
  const auto loop = g_.nest.loops[static_cast<std::size_t>(g_.nest.filters.loop)];
  const auto at = [&](Loop which) { return loop == which ? turn : Turn{0, true}; };
  if (stages()) after.push_back({kStage, 0});
  copy(from, near_planes(), along(Loop::sets, g_.filters, g_.op.out_c, at(Loop::sets)), Range::whole(taps()),
       along(Loop::steps, g_.channels, g_.op.in_c, at(Loop::steps)), kWeights, 0, std::move(after));
}

void NestTasks::load_parameters() {
  View from = flat(stages() ? g_.stage_memory : g_.weights_from, stages() ? local("stage") : o_.weights);
  View to = flat(g_.near, local("qparams"));
  from.shape.stride_h = to.shape.stride_h = record_head();
  const bool set_by_set = g_.nest.parameters >= 0;
  to.shape.ring_h = set_by_set ? g_.filters : 0;
  Dependencies after;
  if (set_by_set) after.push_back({kCompute, 0});
  if (stages()) after.push_back({kStage, 0});
  copy(from, to, set_by_set ? sets_now() : Range::whole(g_.op.out_c), Range::whole(1), Range::whole(record_head()),
       kParams, 0, std::move(after));
}

void NestTasks::compute() {
  auto call = std::make_shared<program::CallPayload>();
  call->op = kernel_;
  call->parameters = &p_.operators[kernel_];
  for (int i = 0; i < g_.input_count; ++i) call->views[i ? DSE_IN1 : DSE_IN0] = input_view(i);
  call->views[DSE_OUT] = output_view();
  filters_of(*call);
  if (g_.steps > 1) {
    call->views[DSE_ACC] = partial_sums();
    call->accumulate = true;
  }
  if (g_.find("scratch")) call->views[DSE_SCRATCH] = flat(g_.near, local("scratch"));
  call->y = now(Loop::rows, g_.tile, g_.op.out_h);
  call->x = Range::whole(g_.op.out_w);
  call->c = sets_now();
  call->k = g_.steps > 1 ? now(Loop::steps, g_.channels, g_.op.in_c) : Range::whole(g_.op.in_c);

  const auto& nest = g_.nest;
  const auto age = [](int buffers) { return static_cast<std::uint8_t>(buffers - 1); };
  Dependencies after;
  for (int i = 0; i < g_.input_count; ++i)
    if (!g_.inputs[i].in_place) after.push_back({i ? kInput1 : kInput0, age(nest.input.depth)});
  if (copies_filters()) after.push_back({kWeights, age(nest.filters.depth)});
  if (copies_filters() && g_.form == WeightForm::plane_major) after.push_back({kParams, 0});
  if (!g_.output_in_place && nest.output.varies()) {
    const bool loads_waited =
        (copies_inputs() && waits_for_stores(nest.input)) || (copies_filters() && waits_for_stores(nest.filters));
    after.push_back({kStore, static_cast<std::uint8_t>(loads_waited ? nest.output.depth - 1
                                                                    : stores_under_way(g_, nest.output.depth))});
  }
  program::TaskTemplate t;
  t.kind = &program::call_kind();
  t.queue = queue_of(device_, g_.engine, 0);
  t.slot = kCompute;
  t.dependencies = std::move(after);
  t.payload = std::move(call);
  p_.task(std::move(t));
}

void NestTasks::filters_of(program::CallPayload& call) const {
  if (g_.form == WeightForm::none) return;
  if (g_.form == WeightForm::filter_major) {
    View v = records(g_.near, local("weights"), ring_records());
    call.views[DSE_QPARAMS] = v;
    const int elem = dse_type_bytes(g_.op.weight_type);
    v.offset += record_head();
    v.shape.elem = v.shape.stride_c = elem;
    v.shape.stride_w = filter_inputs() * elem;
    call.views[DSE_WEIGHTS] = v;
    return;
  }
  View q;
  q.shape.elem = 1, q.shape.stride_c = 1, q.shape.stride_h = record_head();
  if (g_.weights_in_place) {
    q.arena = g_.weights_from, q.offset = o_.weights;
    const std::int64_t at = o_.weights + std::int64_t{record_head()} * g_.op.out_c;
    call.views[DSE_WEIGHTS] = g_.form == WeightForm::apart ? filters_apart(g_.weights_from, at)
                                                           : planes(g_.weights_from, at, g_.op.out_c, 0, 0);
  } else {
    q.arena = g_.near, q.offset = local("qparams");
    q.shape.ring_h = g_.nest.parameters >= 0 ? g_.filters : 0;
    call.views[DSE_WEIGHTS] = near_planes();
  }
  call.views[DSE_QPARAMS] = q;
}

/// What the turns inside of the output's loop have made: rows-outer stores rows with all their channels, channels-outer
/// all rows of a set.
void NestTasks::store() {
  const auto rows =
      g_.order == Order::channels_outer ? Range::whole(g_.op.out_h) : now(Loop::rows, g_.tile, g_.op.out_h);
  const auto channels = g_.order == Order::rows_outer ? Range::whole(g_.op.out_c) : sets_now();
  if (g_.output_way.direct())
    return copy(output_view(), home_of_output(), rows, Range::whole(g_.op.out_w), channels, kStore, 1, {{kCompute, 0}});
  Dependencies after = {{kCompute, 0}};
  if (g_.nest.output.varies()) after.push_back({kHome, static_cast<std::uint8_t>(stores_under_way(g_, 2))});
  copy(output_view(), output_between(), rows, Range::whole(g_.op.out_w), channels, kStore, 1, std::move(after));
  copy(output_between(), home_of_output(), rows, Range::whole(g_.op.out_w), channels, kHome, 1, {{kStore, 0}});
}

}  // namespace dse::plan
