// The tasks of a whole layer.
#include <algorithm>

#include "plan/layer/whole/pieces.h"
#include "plan/layer/whole/whole_tasks.h"
#include "plan/network/in_place.h"
#include "plan/network/layers.h"
#include "plan/rules/in_place.h"

namespace dse::plan {
namespace {

class WholeEmitter : private WholeTasks {
 public:
  using WholeTasks::WholeTasks;

  void run() {
    if (g_.placed) {
      border();
    } else {
      load();
      compute();
      store();
    }
  }

 private:
  /// A tensor between two places, in one of which it is a part of a larger image.
  void copy_image(int tensor, const Placement& from, std::int64_t from_offset, const Placement& to,
                  std::int64_t to_offset, int slot, int channel, Dependencies after) {
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

  void load() {
    for (int i = 0; i < g_.input_count; ++i) {
      const auto name = "in" + std::to_string(i);
      if (!g_.find(name)) continue;
      copy_image(inputs_[i], g_.inputs[i].home, o_.inputs[i], Placement{g_.near}, views_.local(name), -1, 0, {});
    }
    for (const int t : variables(n_, op_))
      if (const auto name = "state" + std::to_string(t); g_.find(name))
        copy(device_.io, o_.states.at(t), g_.near, views_.local(name), n_.tensors[t].bytes(), -1, 0, {});
    load_constants();
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

  /// Where the calls find an input, an output or a variable.
  View place(const nn::KernelCall::Operand& operand) const {
    View v;
    v.shape = operand.view;
    const auto at = [&](int arena, std::int64_t offset) { v.arena = arena, v.offset = offset + operand.offset; };
    const int t = operand.tensor;
    if (n_.tensors[t].kind == nn::TensorKind::variable) {
      const auto name = "state" + std::to_string(t);
      g_.find(name) ? at(g_.near, views_.local(name)) : at(device_.io, o_.states.at(t));
    } else if (const auto out = std::find(op_.outputs.begin(), op_.outputs.end(), t); out != op_.outputs.end()) {
      const auto o = out - op_.outputs.begin();
      if (!g_.output_in_place) return at(g_.near, views_.local(o ? "out" + std::to_string(o) : "out")), v;
      v = at_home(operand);
      stretch(v, o ? Strides{} : g_.output.inside);
    } else {
      const auto i = input_of(t);
      if (!g_.inputs[i].in_place) return at(g_.near, views_.local("in" + std::to_string(i))), v;
      v = at_home(operand);
      stretch(v, g_.inputs[i].home.inside);
    }
    return v;
  }

  void compute() {
    const auto after = loaded();
    for (const auto& c : op_.calls) {
      auto call = payload_of(c);
      for (int role = 0; role < DSE_ROLES; ++role)
        if (c.operands[role].present && role != DSE_SCRATCH && !is_constant(c.operands[role].tensor))
          call->views[role] = place(c.operands[role]);
      const auto range = [](dse_span s) { return Range{s.lo, s.hi, s.hi, 0, -1}; };
      call->y = range(c.tile.y), call->x = range(c.tile.x), call->c = range(c.tile.c), call->k = range(c.tile.k);
      issue_call(std::move(call), after);
    }
  }

  void store() {
    const Dependencies done = {{kCall, 0}};
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
};

}  // namespace

void emit_whole(program::Program& program, const LayerContext& context, const LayerGeometry& geometry,
                const LayerOffsets& offsets) {
  if (geometry.pieces)
    emit_pieces(program, context, geometry, offsets);
  else
    WholeEmitter(program, context, geometry, offsets).run();
}

}  // namespace dse::plan
