#include "plan/layer/layer_tasks.h"

namespace dse::plan {

void LayerTasks::assign_loops() {
  int depth = 0;
  auto next = [&](int count) { return count > 1 ? depth++ : -1; };
  if (g_.order == Order::rows_outer) {
    row_loop_ = next(g_.tiles);
    set_loop_ = next(g_.sets);
  } else {
    set_loop_ = next(g_.sets);
    row_loop_ = next(g_.tiles);
  }
  step_loop_ = next(g_.steps);
}

void LayerTasks::copy(const View& from, const View& to, Range y, Range x, Range c, Slot slot, int channel,
                      std::vector<Dependency> after) {
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

void LayerTasks::load_weights(const Range& rows, std::vector<Dependency> after) {
  View from = records(g_.weights_from, o_.weights, g_.op.out_c);
  if (g_.stage_memory >= 0) {
    from = records(g_.stage_memory, local("stage"), g_.staging == Staging::sets ? ring_records() : g_.op.out_c);
    after.push_back({kStage, 0});
  }
  copy(from, records(g_.near, local("weights"), ring_records()), rows, Range::whole(1),
       Range::whole(static_cast<int>(g_.record)), kWeights, 0, std::move(after));
}

void LayerTasks::compute(std::vector<Dependency> after) {
  auto call = std::make_shared<program::CallPayload>();
  call->op = kernel_;
  call->parameters = &p_.operators[kernel_];
  for (int i = 0; i < g_.input_count; ++i) call->views[i ? DSE_IN1 : DSE_IN0] = input_view(i);
  call->views[DSE_OUT] = output_view();
  weights_of(*call);
  if (g_.steps > 1) {
    call->views[DSE_ACC] = partial_sums();
    call->accumulate = true;
  }
  if (g_.find("scratch")) call->views[DSE_SCRATCH] = flat(g_.near, local("scratch"));
  call->y = Range::tiles(row_loop_, g_.tile, g_.op.out_h);
  call->x = Range::whole(g_.op.out_w);
  call->c = Range::tiles(set_loop_, g_.filters, g_.op.out_c);
  call->k = g_.steps > 1 ? Range::tiles(step_loop_, g_.channels, g_.op.in_c) : Range::whole(g_.op.in_c);
  program::TaskTemplate t;
  t.kind = &program::call_kind();
  t.queue = queue_of(device_, g_.engine, 0);
  t.slot = kCompute;
  t.dependencies = std::move(after);
  t.payload = std::move(call);
  p_.task(std::move(t));
}

void LayerTasks::weights_of(program::CallPayload& call) const {
  if (g_.form == WeightForm::none) return;
  if (g_.form == WeightForm::filter_major) {
    View v = g_.weights_in_place ? records(g_.weights_from, o_.weights, g_.op.out_c)
                                 : records(g_.near, local("weights"), ring_records());
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
    call.views[DSE_WEIGHTS] =
        planes(g_.weights_from, o_.weights + std::int64_t{record_head()} * g_.op.out_c, g_.op.out_c, 0, 0);
  } else {
    q.arena = g_.near, q.offset = local("qparams");
    q.shape.ring_h = g_.sets > 1 ? g_.filters : 0;
    call.views[DSE_WEIGHTS] = near_planes();
  }
  call.views[DSE_QPARAMS] = q;
}

void LayerTasks::load_params() {
  View from = flat(g_.stage_memory >= 0 ? g_.stage_memory : g_.weights_from,
                   g_.stage_memory >= 0 ? local("stage") : o_.weights);
  View to = flat(g_.near, local("qparams"));
  from.shape.stride_h = to.shape.stride_h = record_head();
  to.shape.ring_h = g_.sets > 1 ? g_.filters : 0;
  std::vector<Dependency> after = {{kCompute, 0}};
  if (g_.stage_memory >= 0) after.push_back({kStage, 0});
  copy(from, to, Range::tiles(set_loop_, g_.filters, g_.op.out_c), Range::whole(1), Range::whole(record_head()),
       kParams, 0, std::move(after));
}

}  // namespace dse::plan
