// Rows that share memory over the steps: lives, sizes, offsets.
#include <algorithm>
#include <map>

#include "base/units.h"
#include "plan/alloc/allocate.h"
#include "plan/make/offsets.h"
#include "plan/place/rigid.h"
#include "plan/plan.h"
#include "plan/segment/phased.h"

namespace dse::plan {
namespace {

using Rings = std::map<std::string, const shared::TensorUse*>;  // by buffer

/// The buffers `of` with all the shapes that they may have.
std::vector<shared::Piece> pieces_of(const Plan& plan, const std::vector<int>& of, const Rings& rings,
                                     std::int64_t extra_slots) {
  std::vector<shared::Piece> pieces;
  for (const int i : of) {
    const auto& b = plan.buffers[i];
    const auto ring = rings.find(b.name);
    pieces.push_back({{}, b.life.alignment});
    if (ring != rings.end())
      pieces.back().shapes = shared::ring_shapes(*ring->second, 1, extra_slots);
    else
      pieces.back().shapes = {shared::shape_of(counted_life(b, b.life.alignment))};
  }
  return pieces;
}

/// Rings that lie on both sides of their ends leave room between, which the allocator does not see: where that makes
/// memory `m` lower, the buffers `of` get other offsets, and rings more slots or shifted rows.
void interleave(Plan& plan, int m, std::int64_t base, const std::vector<int>& of, const alloc::Layout& layout,
                const Rings& rings) {
  constexpr std::int64_t kExtraSlots = 3;
  if (std::none_of(of.begin(), of.end(), [&](int i) { return rings.count(plan.buffers[i].name) > 0; })) return;
  auto pieces = pieces_of(plan, of, rings, kExtraSlots);
  const auto load = shared::load_of(pieces);
  if (load >= layout.height) return;
  const auto rigid = shared::place_rigid(pieces, layout.offsets, load);
  if (rigid.height >= layout.height) return;
  for (std::size_t k = 0; k < of.size(); ++k) {
    auto& b = plan.buffers[of[k]];
    b.offset = base + rigid.offsets[k];
    const auto ring = rings.find(b.name);
    if (ring == rings.end()) continue;
    auto& shape = pieces[k].shapes[rigid.shapes[k]];
    b.size = shape.ring * ring->second->row_elements, b.shift = shape.shift;
    b.taken = std::move(shape.taken);
  }
  plan.heights[m] = base + rigid.height;
  plan.loads[m] = base + load;
}

}  // namespace

alloc::Buffer counted_life(const PlacedBuffer& b, int alignment) {
  auto life = b.life;
  const bool ring = b.tensor >= 0 && b.role == program::BufferRole::tile;
  if (ring) return life;
  life.size = round_up(life.size, alignment);
  for (auto& g : life.gaps) g.begin -= g.begin % alignment, g.end = round_up(g.end, alignment);
  return life;
}

std::optional<Infeasible> place_phased(const nn::Network& network, const hw::Device& device, Plan& plan,
                                       Offsets offsets) {
  auto made = phased_plan(network, device, plan);
  if (auto* bad = std::get_if<Infeasible>(&made)) return *bad;
  const auto& p = std::get<PhasedPlan>(made);
  for (const auto& r : p.near) {
    PlacedBuffer b{near_rows_name(network, plan, r),
                   program::BufferRole::tile,
                   r.memory,
                   0,
                   r.ring * r.row_bytes,
                   r.segment,
                   r.segment,
                   -1,
                   {},
                   {},
                   0,
                   -1};
    b.life.lower = r.first_step, b.life.upper = r.end_step;
    plan.buffers.push_back(std::move(b));
  }
  Rings rings;
  for (auto& b : plan.buffers) {
    if (b.life.upper == 0) b.life.lower = p.steps[b.first].first, b.life.upper = p.steps[b.last].second;
    if (b.tensor < 0 || b.role != program::BufferRole::tensor) continue;
    const auto* t = p.use_of(b.tensor);
    // An input that nobody reads has no rows in use, but is given all the same: it has its place in the first section.
    if (!t || (network.producer(b.tensor) < 0 && network.consumers(b.tensor).empty())) continue;
    b.life = shared::buffer_of(*t, 1);
    if (t->ring > 0) b.size = b.life.size, b.role = program::BufferRole::tile, rings[b.name] = t;
  }
  for (int m = 0; m < static_cast<int>(device.memories.size()); ++m) {
    const std::int64_t base = m == device.constants ? round_up(plan.constants_size, 16) : 0;
    std::vector<alloc::Buffer> blocks;
    std::vector<int> of;
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
      auto& b = plan.buffers[i];
      if (b.memory != m || b.role == program::BufferRole::constants) continue;
      b.life.id = b.name, b.life.size = b.size, b.life.alignment = device.memories[m].alignment;
      blocks.push_back(counted_life(b, b.life.alignment));
      of.push_back(static_cast<int>(i));
    }
    if (offsets == Offsets::none) {
      for (const int i : of) plan.buffers[i].offset = base;
      plan.heights[m] = plan.loads[m] = base + shared::load_of(pieces_of(plan, of, rings, 0));
      continue;
    }
    const auto layout = alloc::allocate(blocks, {}, {.moves = 400, .nodes = 50'000});
    for (std::size_t i = 0; i < of.size(); ++i) plan.buffers[of[i]].offset = base + layout.offsets[i];
    plan.heights[m] = base + layout.height;
    plan.loads[m] = base + layout.load;
    interleave(plan, m, base, of, layout, rings);
  }
  return std::nullopt;
}

}  // namespace dse::plan
