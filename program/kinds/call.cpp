#include "base/diagnostics.h"
#include "base/units.h"
#include "models/nn/kernels/dse_batches.h"
#include "models/nn/kernels/dse_factors.h"
#include "program/encoding.h"
#include "program/kinds.h"

namespace dse::program {

namespace {

const CallPayload& payload_of(const TaskTemplate& t) { return static_cast<const CallPayload&>(*t.payload); }
std::int64_t volume(const dse_box& b) { return b.touched ? length(b.h) * length(b.w) * length(b.c) : 0; }

/// Input channels of this step; operators that do not split them may leave the range out.
dse_span depth(const CallPayload& p, const LoopIndex& loops) {
  return p.k.limit > 0 ? p.k.at(loops) : dse_span{0, p.parameters->in_c};
}

dse_tile tile_of(const CallPayload& p, const LoopIndex& loops) {
  dse_tile t{p.y.at(loops), p.x.at(loops), p.c.at(loops), depth(p, loops), DSE_FIRST | DSE_LAST};
  if (p.accumulate) {
    const std::int32_t limit = p.k.limit > 0 ? p.k.limit : p.parameters->in_c;
    t.flags = 0;
    if (t.k.lo == 0) t.flags |= DSE_FIRST;
    if (t.k.hi == limit) t.flags |= DSE_LAST;
  }
  return t;
}

/// Views without a base.
dse_call call_at(const CallPayload& p, const LoopIndex& loops) {
  dse_call call{};
  call.op = p.parameters;
  call.tile = tile_of(p, loops);
  for (int role = 0; role < DSE_ROLES; ++role)
    if (const View& v = p.views[static_cast<std::size_t>(role)]; v.present()) call.view[role] = v.shape;
  return call;
}

/// What a call does with the operand of a role. Partial sums are read unless accumulation starts, written unless it
/// ends.
struct Direction {
  bool read, write;
};
Direction direction(int role, std::uint32_t flags) {
  if (role == DSE_ACC) return {!(flags & DSE_FIRST), !(flags & DSE_LAST)};
  if (role == DSE_OUT || role == DSE_SCRATCH || role == DSE_FACTORS) return {false, true};
  if (role == DSE_STATE0 || role == DSE_STATE1) return {true, true};
  return {true, false};
}

/// Quantisation parameters are records of 12 or 16 bytes and scratch is bytes, whatever the view says.
std::int32_t element_bytes(const CallPayload& p, const View& v, int role) {
  if (role == DSE_QPARAMS) return dse_record_bytes(p.parameters);
  return role != DSE_SCRATCH && v.shape.elem > 0 ? v.shape.elem : 1;
}
View view_of(const CallPayload& p, int role) {
  View v = p.views[static_cast<std::size_t>(role)];
  if (role == DSE_SCRATCH) v.shape = dse_view{nullptr, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1};
  v.shape.elem = element_bytes(p, v, role);
  return v;
}
/// The box of an operand; scratch is counted in bytes from its offset, whatever its view says.
dse_box box_of(const CallPayload& p, const dse_tile& tile, int role) {
  if (role != DSE_SCRATCH) return dse_operand_box(p.parameters, &tile, static_cast<dse_role>(role));
  const std::int32_t bytes = dse_scratch_bytes(p.parameters, &tile);
  return {{0, 1}, {0, 1}, {0, bytes}, bytes > 0};
}

class CallKind final : public TaskKind {
 public:
  std::string_view name() const override { return "call"; }
  std::uint8_t code() const override { return 2; }

  void footprint(const TaskInstance& t, std::vector<Access>& out) const override {
    const CallPayload& p = payload_of(*t.task);
    const dse_tile tile = tile_of(p, t.loops);
    for (int role = 0; role < DSE_ROLES; ++role) {
      const View view = view_of(p, role);
      if (!view.present()) continue;
      const Direction d = direction(role, tile.flags);
      const dse_box box = box_of(p, tile, role);
      if (d.read) append_runs(view, box, false, out);
      if (d.write) append_runs(view, box, true, out);
    }
  }

  TaskCost time(const TaskInstance& t, const CostModel& model) const override {
    const CallPayload& p = payload_of(*t.task);
    const dse_tile tile = tile_of(p, t.loops);
    CallWork work;
    work.op = p.parameters;
    work.tile = tile;
    const bool gaps = model.asks_for_gaps(t.queue);
    for (int role = 0; role < DSE_ROLES; ++role) {
      const View& view = p.views[static_cast<std::size_t>(role)];
      if (!view.present()) continue;
      const Direction d = direction(role, tile.flags);
      if (!d.read && !d.write) continue;
      const dse_box box = box_of(p, tile, role);
      const std::int32_t element = element_bytes(p, view, role);
      std::int64_t bytes = volume(box) * element;
      if (bytes == 0) continue;
      if (const std::int64_t held = role == DSE_SCRATCH ? dse_batch_scratch(work.op, &tile) : 0; held > 0) {
        const std::int64_t sums = arithmetic_of(work).rescaled * dse_role_bytes(work.op, DSE_ACC);
        bytes += sums - held;  // all batches stand in the same place, and are read from there
        const int readings = dse_out_factors(work.op) > 0 ? 2 : 1;  // for their factor, and to be rescaled
        add(work, {DSE_SCRATCH, view.arena, readings * sums, false, true});
      }
      const bool dense = role == DSE_SCRATCH || is_dense(view.shape, box, element);
      const auto spread = dense || !gaps ? Spread{} : spread_of(view.shape, box, element);
      if (d.read) add(work, {static_cast<dse_role>(role), view.arena, bytes, false, dense, spread});
      if (d.write) add(work, {static_cast<dse_role>(role), view.arena, bytes, true, dense, spread});
    }
    return model.call(t.queue, work);
  }

  bool execute(const TaskInstance& t, const ByteSpace& bytes) const override {
    const CallPayload& p = payload_of(*t.task);
    dse_call call = call_at(p, t.loops);
    for (int role = 0; role < DSE_ROLES; ++role) {
      const View& v = p.views[static_cast<std::size_t>(role)];
      if (v.present()) call.view[role].base = bytes.base(v.arena) + v.offset;
    }
    return dse_run_call(&call) == 0;
  }

  void encode(const TaskTemplate& t, Encoder& out) const override {
    const CallPayload& p = payload_of(t);
    out.varint(static_cast<std::uint64_t>(p.op));
    // Bit 0: accumulates; bit 1 + role: has that operand. The common roles fit one byte.
    std::uint32_t present = p.accumulate ? 1 : 0;
    for (std::size_t role = 0; role < p.views.size(); ++role)
      if (p.views[role].present()) present |= 2u << role;
    out.varint(present);
    for (const View& v : p.views)
      if (v.present()) out.view(v);
    for (const Range* r : {&p.y, &p.x, &p.c, &p.k}) out.range(*r);
  }

  bool empty(const TaskInstance& t) const override {
    const CallPayload& p = payload_of(*t.task);
    return length(p.y.at(t.loops)) == 0 || length(p.x.at(t.loops)) == 0 || length(p.c.at(t.loops)) == 0 ||
           (p.k.limit > 0 && length(p.k.at(t.loops)) == 0);
  }

 private:
  static void add(CallWork& work, const CallWork::Operand& operand) {
    ensure(work.operand_count < static_cast<int>(work.operands.size()), "call: too many operands");
    work.operands[static_cast<std::size_t>(work.operand_count++)] = operand;
  }
};

}  // namespace

std::optional<dse_call> call_of(const TaskInstance& t) {
  const auto* p = dynamic_cast<const CallPayload*>(t.task->payload.get());
  return p ? std::optional(call_at(*p, t.loops)) : std::nullopt;
}

const TaskKind& call_kind() {
  static const CallKind kind;
  return kind;
}

}  // namespace dse::program
