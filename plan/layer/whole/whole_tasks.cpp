#include "plan/layer/whole/whole_tasks.h"

#include "plan/layer/compute/batches.h"
#include "plan/network/in_place.h"

namespace dse::plan {

void WholeTasks::copy(int from, std::int64_t from_offset, int to, std::int64_t to_offset, std::int64_t bytes, int slot,
                      int channel, Dependencies after) {
  auto payload = std::make_shared<program::CopyPayload>();
  payload->from = LayerViews::flat(from, from_offset);
  payload->to = LayerViews::flat(to, to_offset);
  payload->y = payload->x = Range::whole(1);
  payload->c = Range::whole(static_cast<std::int32_t>(bytes));
  issue(std::move(payload), slot, channel, std::move(after));
}

void WholeTasks::issue(std::shared_ptr<program::CopyPayload> payload, int slot, int channel, Dependencies after) {
  const int from = payload->from.arena, to = payload->to.arena;
  const int engine = payload->fill ? filling_engine(device_, to) : device_.copy_engine(from, to);
  ensure(engine >= 0, "no copy engine between two memories of a feasible layer");
  program::TaskTemplate t;
  t.kind = &program::copy_kind();
  t.queue = queue_of(device_, engine, channel);
  if (slot < 0) {
    const auto known = std::find(copiers_.begin(), copiers_.end(), t.queue);
    slot = static_cast<int>(known - copiers_.begin());
    if (known == copiers_.end()) copiers_.push_back(t.queue);
    ensure(slot < kOwn, "more copy queues than a layer has slots for");
  }
  t.slot = static_cast<std::uint8_t>(slot);
  t.dependencies = std::move(after);
  t.payload = std::move(payload);
  p_.task(std::move(t));
}

void WholeTasks::load_constants() {
  if (g_.form == WeightForm::none || g_.weights_in_place) return;
  int from = g_.weights_from;
  std::int64_t offset = o_.weights;
  Dependencies after;
  if (g_.stage_memory < 0 && g_.prefetched) return;
  if (g_.stage_memory >= 0) {
    if (!g_.prefetched) {
      copy(from, offset, g_.stage_memory, views_.local("stage"), g_.weight_bytes, -1, 0, {});
      after.push_back({static_cast<std::uint8_t>(p_.templates.back().slot), 0});
    }
    from = g_.stage_memory, offset = views_.local("stage");
  }
  copy(from, offset, g_.near, views_.local("weights"), g_.weight_bytes, -1, 0, std::move(after));
}

WholeTasks::Dependencies WholeTasks::loaded() const {
  Dependencies out;
  for (std::size_t s = 0; s < copiers_.size(); ++s) out.push_back({static_cast<std::uint8_t>(s), 0});
  return out;
}

std::shared_ptr<program::CallPayload> WholeTasks::payload_of(const nn::KernelCall& c) {
  p_.operators.push_back(computed_like(g_.op, c.op));
  auto call = std::make_shared<program::CallPayload>();
  call->op = static_cast<int>(p_.operators.size()) - 1;
  call->parameters = &p_.operators.back();
  for (int role = 0; role < DSE_ROLES; ++role) {
    const auto& o = c.operands[role];
    if (!o.present) continue;
    if (role == DSE_SCRATCH) {
      auto& v = call->views[role];
      v.shape = o.view, v.arena = g_.near, v.offset = views_.local("scratch") + o.offset;
    } else if (is_constant(o.tensor)) {
      call->views[role] = constant(o, role);
    }
  }
  if (dse_scratch_bytes(call->parameters, &c.tile) > 0 && !call->views[DSE_SCRATCH].present())
    call->views[DSE_SCRATCH] = LayerViews::flat(g_.near, views_.local("scratch"));
  return call;
}

void WholeTasks::issue_call(std::shared_ptr<program::CallPayload> payload, Dependencies after) {
  program::TaskTemplate t;
  t.kind = &program::call_kind();
  t.queue = queue_of(device_, g_.engine, 0);
  t.slot = kCall;
  t.dependencies = std::move(after);
  t.payload = std::move(payload);
  p_.task(std::move(t));
}

WholeTasks::View WholeTasks::constant(const nn::KernelCall::Operand& operand, int role) const {
  View v;
  v.shape = operand.view;
  v.arena = g_.weights_in_place ? g_.weights_from : g_.near;
  v.offset =
      operand.offset + (g_.weights_in_place ? o_.weights : views_.local("weights")) +
      (operand.tensor < 0 ? blob_.offset_of(static_cast<dse_role>(role)) : blob_.offset_of_tensor(operand.tensor));
  return v;
}

WholeTasks::View WholeTasks::at_home(const nn::KernelCall::Operand& operand) const {
  View v;
  v.shape = operand.view;
  if (const auto out = std::find(op_.outputs.begin(), op_.outputs.end(), operand.tensor); out != op_.outputs.end()) {
    const auto o = out - op_.outputs.begin();
    v.arena = g_.output.memory, v.offset = operand.offset + (o ? o_.further_outputs[o - 1] : o_.output);
  } else {
    const auto i = input_of(operand.tensor);
    v.arena = g_.inputs[i].home.memory, v.offset = operand.offset + o_.inputs[i];
  }
  return v;
}

}  // namespace dse::plan
