// The tasks of a whole layer.
#include <algorithm>

#include "plan/layer/compute/batches.h"
#include "plan/layer/layer_views.h"
#include "plan/layer/whole_layer.h"
#include "plan/network/in_place.h"
#include "plan/network/layers.h"
#include "plan/rules/in_place.h"

namespace dse::plan {
namespace {

using program::Dependency;
using program::Range;
using program::View;

// Slots: one per engine that copies in (an in-order queue each), then the calls.
constexpr std::uint8_t kCall = 15;

class WholeEmitter {
 public:
  WholeEmitter(program::Program& p, const LayerContext& c, const LayerGeometry& g, const LayerOffsets& o)
      : p_(p),
        n_(*c.network),
        device_(*c.device),
        op_(n_.operators[c.op]),
        index_(c.op),
        g_(g),
        o_(o),
        views_(g, o),
        blob_(n_, op_) {}

  void run() {
    inputs_ = activations(n_, op_);
    if (g_.placed) {
      border();
    } else {
      load();
      compute();
      store();
    }
  }

 private:
  void copy(int from, std::int64_t from_offset, int to, std::int64_t to_offset, std::int64_t bytes, int slot,
            int channel, std::vector<Dependency> after) {
    auto payload = std::make_shared<program::CopyPayload>();
    payload->from = LayerViews::flat(from, from_offset);
    payload->to = LayerViews::flat(to, to_offset);
    payload->y = payload->x = Range::whole(1);
    payload->c = Range::whole(static_cast<std::int32_t>(bytes));
    issue(std::move(payload), slot, channel, std::move(after));
  }

  /// A tensor between two places, in one of which it is a part of a larger image.
  void copy_image(int tensor, const Placement& from, std::int64_t from_offset, const Placement& to,
                  std::int64_t to_offset, int slot, int channel, std::vector<Dependency> after) {
    if (from.inside.dense() && to.inside.dense())
      return copy(from.memory, from_offset, to.memory, to_offset, n_.tensors[tensor].bytes(), slot, channel,
                  std::move(after));
    auto payload = std::make_shared<program::CopyPayload>();
    payload->from = image_at(tensor, from, from_offset);
    payload->to = image_at(tensor, to, to_offset);
    const auto i = n_.tensors[tensor].image();
    payload->y = whole(i.h), payload->x = whole(i.w), payload->c = whole(i.c);
    issue(std::move(payload), slot, channel, std::move(after));
  }
  static Range whole(std::int64_t n) { return Range::whole(static_cast<std::int32_t>(n)); }
  View image_at(int tensor, const Placement& place, std::int64_t offset) const {
    const auto i = n_.tensors[tensor].image();
    const std::int64_t elem = nn::size_of(n_.tensors[tensor].type);
    const Strides s = place.inside.dense() ? Strides{i.c * elem, i.w * i.c * elem} : place.inside;
    View v = LayerViews::flat(place.memory, offset);
    v.shape.elem = v.shape.stride_c = static_cast<std::int32_t>(elem);
    v.shape.stride_w = static_cast<std::int32_t>(s.w), v.shape.stride_h = static_cast<std::int32_t>(s.h);
    return v;
  }

  void issue(std::shared_ptr<program::CopyPayload> payload, int slot, int channel, std::vector<Dependency> after) {
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
    }
    ensure(slot == program::kNoSlot || slot < kCall, "more copy queues than a layer has slots for");
    t.slot = static_cast<std::uint8_t>(slot);
    t.dependencies = std::move(after);
    t.payload = std::move(payload);
    p_.task(std::move(t));
  }

  void load() {
    for (int i = 0; i < g_.input_count; ++i) {
      const auto name = "in" + std::to_string(i);
      if (!g_.find(name)) continue;
      copy_image(inputs_[i], g_.inputs[i].home, o_.inputs[i], Placement{g_.near}, views_.local(name), -1, 0, {});
    }
    for (const int t : variables(n_, op_))
      if (const auto name = "state" + std::to_string(t); g_.find(name))
        copy(device_.io, o_.states.at(t), g_.near, views_.local(name), n_.tensors[t].bytes(), -1, 0, {});
    if (g_.form == WeightForm::none || g_.weights_in_place) return;
    int from = g_.weights_from;
    std::int64_t offset = o_.weights;
    std::vector<Dependency> after;
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

  static void stretch(View& v, const Strides& s) {
    if (s.dense()) return;
    v.shape.stride_w = static_cast<std::int32_t>(s.w), v.shape.stride_h = static_cast<std::int32_t>(s.h);
  }

  /// What surrounds the only part of a padding: rows above and below, columns beside, channels around.
  void border() {
    if (op_.kind != nn::OperatorKind::pad) return;
    const auto part = parts_of(n_, index_).front();
    const auto in = n_.tensors[part.tensor].image(), out = n_.tensors[op_.outputs[0]].image();
    const auto fill = [&](std::int64_t y0, std::int64_t y1, std::int64_t x0, std::int64_t x1, std::int64_t c0,
                          std::int64_t c1) {
      if (y0 >= y1 || x0 >= x1 || c0 >= c1) return;
      auto payload = std::make_shared<program::CopyPayload>();
      payload->to = image_at(op_.outputs[0], g_.output, o_.output);
      const auto range = [](std::int64_t lo, std::int64_t hi) {
        const auto end = static_cast<std::int32_t>(hi);
        return Range{static_cast<std::int32_t>(lo), end, end, 0, -1};
      };
      payload->y = range(y0, y1), payload->x = range(x0, x1), payload->c = range(c0, c1);
      payload->fill = true, payload->value = border_of(op_)[0];
      issue(std::move(payload), program::kNoSlot, 0, {});
    };
    const auto bottom = part.y + in.h, right = part.x + in.w, last = part.c + in.c;
    fill(0, part.y, 0, out.w, 0, out.c);
    fill(bottom, out.h, 0, out.w, 0, out.c);
    fill(part.y, bottom, 0, part.x, 0, out.c);
    fill(part.y, bottom, right, out.w, 0, out.c);
    fill(part.y, bottom, part.x, right, 0, part.c);
    fill(part.y, bottom, part.x, right, last, out.c);
  }

  View place(const nn::KernelCall::Operand& operand, int role) const {
    View v;
    v.shape = operand.view;
    const auto at = [&](int arena, std::int64_t offset) { v.arena = arena, v.offset = offset + operand.offset; };
    const int t = operand.tensor;
    const bool constant = t < 0 || n_.tensors[t].kind == nn::TensorKind::constant;
    if (role == DSE_SCRATCH) {
      at(g_.near, views_.local("scratch"));
    } else if (constant) {
      const std::int64_t offset = t < 0 ? blob_.offset_of(static_cast<dse_role>(role)) : blob_.offset_of_tensor(t);
      at(g_.weights_in_place ? g_.weights_from : g_.near,
         offset + (g_.weights_in_place ? o_.weights : views_.local("weights")));
    } else if (n_.tensors[t].kind == nn::TensorKind::variable) {
      const auto name = "state" + std::to_string(t);
      g_.find(name) ? at(g_.near, views_.local(name)) : at(device_.io, o_.states.at(t));
    } else if (const auto out = std::find(op_.outputs.begin(), op_.outputs.end(), t); out != op_.outputs.end()) {
      const auto o = out - op_.outputs.begin();
      if (g_.output_in_place)
        at(g_.output.memory, o ? o_.further_outputs[o - 1] : o_.output), stretch(v, o ? Strides{} : g_.output.inside);
      else
        at(g_.near, views_.local(o ? "out" + std::to_string(o) : "out"));
    } else {
      const auto i = std::find(inputs_.begin(), inputs_.end(), t) - inputs_.begin();
      if (g_.inputs[i].in_place)
        at(g_.inputs[i].home.memory, o_.inputs[i]), stretch(v, g_.inputs[i].home.inside);
      else
        at(g_.near, views_.local("in" + std::to_string(i)));
    }
    return v;
  }

  void compute() {
    std::vector<Dependency> after;
    for (std::size_t s = 0; s < copiers_.size(); ++s) after.push_back({static_cast<std::uint8_t>(s), 0});
    for (const auto& c : op_.calls) {
      p_.operators.push_back(computed_like(g_.op, c.op));
      auto call = std::make_shared<program::CallPayload>();
      call->op = static_cast<int>(p_.operators.size()) - 1;
      call->parameters = &p_.operators.back();
      for (int role = 0; role < DSE_ROLES; ++role)
        if (c.operands[role].present) call->views[role] = place(c.operands[role], role);
      if (dse_scratch_bytes(call->parameters, &c.tile) > 0 && !call->views[DSE_SCRATCH].present())
        call->views[DSE_SCRATCH] = LayerViews::flat(g_.near, views_.local("scratch"));
      const auto range = [](dse_span s) { return Range{s.lo, s.hi, s.hi, 0, -1}; };
      call->y = range(c.tile.y), call->x = range(c.tile.x), call->c = range(c.tile.c), call->k = range(c.tile.k);
      program::TaskTemplate t;
      t.kind = &program::call_kind();
      t.queue = queue_of(device_, g_.engine, 0);
      t.slot = kCall;
      t.dependencies = after;
      t.payload = std::move(call);
      p_.task(std::move(t));
    }
  }

  void store() {
    const std::vector<Dependency> done = {{kCall, 0}};
    if (!g_.output_in_place)
      for (std::size_t o = 0; o < op_.outputs.size(); ++o) {
        const auto name = o ? "out" + std::to_string(o) : std::string("out");
        if (g_.find(name))
          copy_image(op_.outputs[o], Placement{g_.near}, views_.local(name),
                     o ? Placement{g_.output.memory} : g_.output, o ? o_.further_outputs[o - 1] : o_.output,
                     program::kNoSlot, 1, done);
      }
    for (const int t : variables(n_, op_))
      if (const auto name = "state" + std::to_string(t); g_.find(name))
        copy(g_.near, views_.local(name), device_.io, o_.states.at(t), n_.tensors[t].bytes(), program::kNoSlot, 1,
             done);
  }

  program::Program& p_;
  const nn::Network& n_;
  const hw::Device& device_;
  const nn::Operator& op_;
  const int index_;
  const LayerGeometry& g_;
  const LayerOffsets& o_;
  LayerViews views_;
  ConstantBlob blob_;
  std::vector<int> inputs_, copiers_;
};

}  // namespace

void emit_whole(program::Program& program, const LayerContext& context, const LayerGeometry& geometry,
                const LayerOffsets& offsets) {
  WholeEmitter(program, context, geometry, offsets).run();
}

}  // namespace dse::plan
