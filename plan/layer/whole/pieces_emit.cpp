// The tasks of a layer in pieces. Ranges that step evenly make a loop of each call; else its pieces follow each other.
#include <optional>

#include "plan/layer/whole/moves.h"
#include "plan/layer/whole/pieces.h"
#include "plan/layer/whole/whole_tasks.h"
#include "plan/network/in_place.h"

namespace dse::plan {
namespace {

using program::Range;

Range constant_range(dse_span s) { return {s.lo, s.hi, s.hi, 0, -1}; }

/// A range of a loop's turns that has these spans; nothing: they do not step evenly.
std::optional<Range> stepping(const std::vector<dse_span>& spans) {
  const auto n = spans.size();
  const auto as_first = [&](dse_span s) { return s.lo == spans.front().lo && s.hi == spans.front().hi; };
  if (std::all_of(spans.begin(), spans.end(), as_first)) return constant_range(spans.front());
  Range r;
  r.loop = 0, r.limit = spans.back().hi;
  if (n == 2) {
    r.step = std::max(spans[1].lo - spans[0].lo, spans[1].hi - spans[0].hi);
    r.lo = spans[1].lo - r.step, r.hi = spans[0].hi;
  } else {
    r.step = spans[2].lo - spans[1].lo;
    r.lo = spans[1].lo - r.step, r.hi = spans[1].hi - r.step;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const auto s = r.at({static_cast<std::int32_t>(i)});
    const bool empty = s.lo == s.hi && spans[i].lo == spans[i].hi;
    if (!empty && (s.lo != spans[i].lo || s.hi != spans[i].hi)) return std::nullopt;
  }
  return r;
}

/// The ranges of a box in one piece, or in all of them as a loop goes through them.
struct BoxRange {
  Range y, x, c;
};

std::optional<BoxRange> stepping(const std::vector<dse_box>& boxes) {
  std::vector<dse_span> h, w, c;
  for (const auto& b : boxes) h.push_back(b.h), w.push_back(b.w), c.push_back(b.c);
  const auto y = stepping(h), x = stepping(w), z = stepping(c);
  return y && x && z ? std::optional(BoxRange{*y, *x, *z}) : std::nullopt;
}

BoxRange constant_ranges(const dse_box& b) { return {constant_range(b.h), constant_range(b.w), constant_range(b.c)}; }

/// One turn of the loop later.
BoxRange next(BoxRange r) {
  for (Range* x : {&r.y, &r.x, &r.c})
    if (x->loop >= 0) x->lo += x->step, x->hi += x->step;
  return r;
}
/// The loop's first turn, without the loop.
BoxRange first(BoxRange r) {
  for (Range* x : {&r.y, &r.x, &r.c})
    if (x->loop >= 0) *x = constant_range(x->at({}));
  return r;
}

class PieceEmitter : private WholeTasks {
 public:
  PieceEmitter(program::Program& p, const LayerContext& c, const LayerGeometry& g, const LayerOffsets& o)
      : WholeTasks(p, c, g, o), context_(c) {}

  void run() {
    const auto calls = pieced_calls(context_, g_);
    if (calls.size() > 0 && calls.front().call.op.kind == DSE_COPY)
      for (const auto& c : op_.calls)
        if (c.op.kind == DSE_PAD) border(c);
    load_constants();
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (i > 0) p_.wait();  // the next call has other sizes of the same buffers
      in_pieces(calls[i]);
    }
  }

 private:
  // Slots: loads by role, then the stores.
  static constexpr int kLoad = kOwn, kStore = kOwn + 3;
  static_assert(kLoad + DSE_IN1 < kStore && kStore < kCall);

  void border(const nn::KernelCall& padding) {
    for (const auto& r : border_runs(padding)) {
      auto payload = std::make_shared<program::CopyPayload>();
      payload->to = at_home(padding.operands[DSE_OUT]);
      payload->to.offset += r.offset;
      auto& v = payload->to.shape;
      v.elem = v.stride_c = 1;
      v.stride_h = static_cast<std::int32_t>(r.stride_h), v.stride_w = static_cast<std::int32_t>(r.stride_w);
      payload->y = Range::whole(static_cast<std::int32_t>(r.count_h));
      payload->x = Range::whole(static_cast<std::int32_t>(r.count_w));
      payload->c = Range::whole(static_cast<std::int32_t>(r.run));
      payload->fill = true, payload->value = border_of(op_)[0];
      issue(std::move(payload), program::kNoSlot, 0, {});
    }
  }

  View near(const PieceOperand& o) const {
    View v;
    v.shape = o.local;
    v.arena = g_.near, v.offset = views_.local(o.role == DSE_OUT ? "out" : o.role == DSE_IN0 ? "in0" : "in1");
    return v;
  }

  void move(const PiecedCall& c, const PieceOperand& o, const BoxRange& box) {
    auto payload = std::make_shared<program::CopyPayload>();
    const auto home = at_home(c.call.operands[static_cast<std::size_t>(o.role)]);
    const bool out = o.role == DSE_OUT;
    payload->from = out ? near(o) : home, payload->to = out ? home : near(o);
    payload->y = box.y, payload->x = box.x, payload->c = box.c;
    // A load takes the place of what the call before last, or the last one, has read.
    issue(std::move(payload), out ? kStore : kLoad + o.role, out ? 1 : 0, {{kCall, 0}});
  }

  /// `ahead`: what the next piece reads is on its way already, as far as there is room for it.
  void compute(const PiecedCall& c, const BoxRange& tile, bool ahead) {
    auto call = std::make_shared<program::CallPayload>(*payload_);
    call->y = tile.y, call->x = tile.x, call->c = tile.c;
    auto after = loaded();
    for (const auto& o : c.moved) {
      const bool out = o.role == DSE_OUT;
      const auto age = static_cast<std::uint8_t>(out || ahead ? o.depth - 1 : 0);
      after.push_back({static_cast<std::uint8_t>(out ? kStore : kLoad + o.role), age});
    }
    issue_call(std::move(call), std::move(after));
  }

  void in_pieces(const PiecedCall& c) {
    payload_ = payload_of(c.call);
    payload_->k = constant_range(c.call.tile.k);
    for (int role : {DSE_IN0, DSE_IN1, DSE_OUT}) {
      const auto& operand = c.call.operands[static_cast<std::size_t>(role)];
      if (operand.present && !is_constant(operand.tensor)) payload_->views[role] = at_home(operand);
    }
    for (const auto& o : c.moved) payload_->views[static_cast<std::size_t>(o.role)] = near(o);
    std::vector<dse_box> tiles;
    for (int i = 0; i < c.count(); ++i) {
      const auto t = c.tile(i);
      tiles.push_back({t.y, t.x, t.c, 1});
    }
    for (const auto& o : c.moved)
      if (o.fixed && o.role != DSE_OUT) move(c, o, constant_ranges(o.boxes.front()));
    std::vector<std::optional<BoxRange>> ranges = {stepping(tiles)};
    for (const auto& o : c.moved) ranges.push_back(stepping(o.boxes));
    const bool loop = c.count() > 1 && std::all_of(ranges.begin(), ranges.end(), [](const auto& r) { return !!r; });
    loop ? in_a_loop(c, ranges) : one_by_one(c, tiles);
  }

  void in_a_loop(const PiecedCall& c, const std::vector<std::optional<BoxRange>>& ranges) {
    const auto each = [&](auto f) {
      for (std::size_t k = 0; k < c.moved.size(); ++k) f(c.moved[k], *ranges[k + 1]);
    };
    each([&](const PieceOperand& o, const BoxRange& r) {
      if (o.role != DSE_OUT && o.depth > 1) move(c, o, first(r));
    });
    p_.loop(c.count());
    each([&](const PieceOperand& o, const BoxRange& r) {
      if (o.role != DSE_OUT && !o.fixed) move(c, o, o.depth > 1 ? next(r) : r);
    });
    compute(c, *ranges.front(), true);  // a load of nothing counts as the one before
    each([&](const PieceOperand& o, const BoxRange& r) {
      if (o.role == DSE_OUT) move(c, o, r);
    });
    p_.end();
  }

  void one_by_one(const PiecedCall& c, const std::vector<dse_box>& tiles) {
    const auto load = [&](const PieceOperand& o, int piece) {
      if (piece < c.count()) move(c, o, constant_ranges(o.boxes[static_cast<std::size_t>(piece)]));
    };
    for (int i = 0; i < c.count(); ++i) {
      for (const auto& o : c.moved) {
        if (o.role == DSE_OUT || o.fixed) continue;
        if (i == 0 && o.depth > 1) load(o, 0);
        load(o, i + o.depth - 1);
      }
      compute(c, constant_ranges(tiles[static_cast<std::size_t>(i)]), i + 1 < c.count());
      for (const auto& o : c.moved)
        if (o.role == DSE_OUT) load(o, i);
    }
  }

  const LayerContext& context_;
  std::shared_ptr<program::CallPayload> payload_;
};

}  // namespace

void emit_pieces(program::Program& program, const LayerContext& context, const LayerGeometry& geometry,
                 const LayerOffsets& offsets) {
  PieceEmitter(program, context, geometry, offsets).run();
}

}  // namespace dse::plan
