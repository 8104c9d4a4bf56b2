#include "tests/plan/check/mutate.h"

#include <algorithm>
#include <functional>

#include "tests/plan/check/clone.h"

namespace dse::test {
namespace {

using namespace program;
using Rng = std::mt19937_64;

template <class T>
T* pick(std::vector<T>& from, Rng& rng) {
  return from.empty() ? nullptr : &from[rng() % from.size()];
}

struct ViewAt {
  View* view;
  std::string where;
};

std::vector<ViewAt> views_of(Program& p) {
  std::vector<ViewAt> out;
  for (std::size_t i = 0; i < p.templates.size(); ++i) {
    const std::string at = "template " + std::to_string(i);
    if (auto* copy = mutable_payload<CopyPayload>(p.templates[i])) {
      if (!copy->fill) out.push_back({&copy->from, at + " from"});
      out.push_back({&copy->to, at + " to"});
    } else if (auto* call = mutable_payload<CallPayload>(p.templates[i])) {
      for (int r = 0; r < DSE_ROLES; ++r)
        if (call->views[r].present()) out.push_back({&call->views[r], at + " role " + std::to_string(r)});
    }
  }
  return out;
}

struct RangeAt {
  Range* range;
  std::string where;
};

std::vector<RangeAt> ranges_of(Program& p, bool copies, bool calls) {
  std::vector<RangeAt> out;
  for (std::size_t i = 0; i < p.templates.size(); ++i) {
    const std::string at = "template " + std::to_string(i);
    auto add = [&](Range& r, const char* axis) {
      if (r.limit > 0) out.push_back({&r, at + " " + axis});
    };
    if (auto* copy = mutable_payload<CopyPayload>(p.templates[i]); copy && copies) {
      add(copy->y, "y"), add(copy->x, "x"), add(copy->c, "c");
    } else if (auto* call = mutable_payload<CallPayload>(p.templates[i]); call && calls) {
      add(call->y, "y"), add(call->x, "x"), add(call->c, "c"), add(call->k, "k");
    }
  }
  return out;
}

std::optional<std::string> view_offset(Program& p, Rng& rng) {
  auto views = views_of(p);
  const auto* v = pick(views, rng);
  if (!v) return {};
  const std::int64_t row = v->view->shape.stride_h ? v->view->shape.stride_h : std::max(1, v->view->shape.elem);
  const std::int64_t by = rng() % 2 ? row : -row;
  v->view->offset += by;
  return v->where + " moved by " + std::to_string(by);
}

std::optional<std::string> halo(Program& p, Rng& rng) {
  auto ranges = ranges_of(p, true, true);
  const auto* r = pick(ranges, rng);
  if (!r) return {};
  const bool low = rng() % 2;
  if (low)
    ++r->range->lo;
  else
    --r->range->hi;
  return r->where + (low ? " lo + 1" : " hi - 1");
}

std::optional<std::string> ring(Program& p, Rng& rng) {
  std::vector<std::pair<std::int32_t*, std::string>> rings;
  for (auto& v : views_of(p)) {
    if (v.view->shape.ring_h) rings.push_back({&v.view->shape.ring_h, v.where + " ring_h"});
    if (v.view->shape.ring_c) rings.push_back({&v.view->shape.ring_c, v.where + " ring_c"});
  }
  const auto* r = pick(rings, rng);
  if (!r) return {};
  const int by = rng() % 2 || *r->first == 1 ? 1 : -1;
  *r->first += by;
  return r->second + (by > 0 ? " + 1" : " - 1");
}

std::optional<std::string> dependency(Program& p, bool remove, Rng& rng) {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  for (std::size_t i = 0; i < p.templates.size(); ++i)
    for (std::size_t d = 0; d < p.templates[i].dependencies.size(); ++d)
      if (remove || p.templates[i].dependencies[d].age < kMaxAge) all.push_back({i, d});
  const auto* which = pick(all, rng);
  if (!which) return {};
  auto& list = p.templates[which->first].dependencies;
  const auto d = list.begin() + static_cast<std::ptrdiff_t>(which->second);
  const std::string what = "template " + std::to_string(which->first) + " on slot " + std::to_string(d->slot) +
                           " age " + std::to_string(d->age);
  if (remove)
    list.erase(d);
  else
    ++d->age;
  return what + (remove ? " removed" : " made older");
}

std::optional<std::string> copy_shorter(Program& p, Rng& rng) {
  std::vector<std::pair<Range*, std::string>> ranges;
  for (auto& r : ranges_of(p, true, false))
    if (!r.where.ends_with("y")) ranges.push_back({r.range, r.where});
  const auto* r = pick(ranges, rng);
  if (!r) return {};
  --r->first->hi;
  return r->second + " hi - 1";
}

std::optional<std::string> swap_tasks(Program& p, Rng& rng) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i + 1 < p.code.size(); ++i)
    if (p.code[i].op == Instruction::Op::task && p.code[i + 1].op == Instruction::Op::task) places.push_back(i);
  const auto* at = pick(places, rng);
  if (!at) return {};
  std::swap(p.code[*at], p.code[*at + 1]);
  return "instructions " + std::to_string(*at) + " and the next exchanged";
}

/// Moves buffer `from` and all views that begin in it, in the sections where it lives, by `by` bytes.
void move_buffer(Program& p, std::size_t index, std::int64_t by) {
  Buffer& b = p.buffers[index];
  int section = -1;
  std::vector<bool> lives(p.templates.size(), false);
  for (const auto& i : p.code) {
    if (i.op == Instruction::Op::section) section = i.arg;
    if (i.op == Instruction::Op::task) lives[i.arg] = b.first_section <= section && section <= b.last_section;
  }
  auto move = [&](View& v) {
    if (v.present() && v.arena == b.arena && v.offset >= b.offset && v.offset < b.offset + b.size) v.offset += by;
  };
  for (std::size_t i = 0; i < p.templates.size(); ++i) {
    if (!lives[i]) continue;
    if (auto* copy = mutable_payload<CopyPayload>(p.templates[i])) move(copy->from), move(copy->to);
    if (auto* call = mutable_payload<CallPayload>(p.templates[i]))
      for (auto& v : call->views) move(v);
  }
  for (auto* ports : {&p.inputs, &p.outputs})
    for (auto& port : *ports)
      if (b.role == BufferRole::tensor && port.arena == b.arena && port.offset == b.offset && port.tensor == b.tensor)
        port.offset += by;
  b.offset += by;
}

std::optional<std::string> overlap(Program& p, Rng& rng) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < p.buffers.size(); ++i)
    for (std::size_t j = 0; j < p.buffers.size(); ++j) {
      const Buffer &a = p.buffers[i], &b = p.buffers[j];
      const bool together = a.first_section <= b.last_section && b.first_section <= a.last_section;
      if (i != j && a.arena == b.arena && together && a.size > 0 && b.size > 0 &&
          b.offset + a.size <= p.arenas[a.arena].size)
        pairs.push_back({i, j});
    }
  const auto* which = pick(pairs, rng);
  if (!which) return {};
  const std::string what = p.buffers[which->first].name + " laid onto " + p.buffers[which->second].name;
  move_buffer(p, which->first, p.buffers[which->second].offset - p.buffers[which->first].offset);
  return what;
}

std::optional<std::string> wait_removed(Program& p, Rng& rng) {
  std::vector<std::size_t> waits;
  for (std::size_t i = 0; i < p.code.size(); ++i)
    if (p.code[i].op == Instruction::Op::task && p.templates[p.code[i].arg].kind->is_wait()) waits.push_back(i);
  const auto* at = pick(waits, rng);
  if (!at) return {};
  p.code.erase(p.code.begin() + static_cast<std::ptrdiff_t>(*at));
  return "the Wait at instruction " + std::to_string(*at) + " removed";
}

std::optional<std::string> loop_shorter(Program& p, Rng& rng) {
  std::vector<std::size_t> loops;
  for (std::size_t i = 0; i < p.code.size(); ++i)
    if (p.code[i].op == Instruction::Op::loop && p.code[i].arg > 0) loops.push_back(i);
  const auto* at = pick(loops, rng);
  if (!at) return {};
  --p.code[*at].arg;
  return "the loop at instruction " + std::to_string(*at) + " runs once less";
}

}  // namespace

const char* name_of(Mutation m) {
  constexpr std::array<const char*, kMutations> names{"view offset",      "halo",         "ring", "dependency removed",
                                                      "dependency older", "copy shorter", "swap", "buffer overlap",
                                                      "wait removed",     "loop shorter"};
  return names[static_cast<std::size_t>(m)];
}

std::optional<std::string> mutate(Program& p, Mutation m, Rng& rng) {
  switch (m) {
    case Mutation::view_offset:
      return view_offset(p, rng);
    case Mutation::halo:
      return halo(p, rng);
    case Mutation::ring:
      return ring(p, rng);
    case Mutation::dependency_removed:
      return dependency(p, true, rng);
    case Mutation::dependency_older:
      return dependency(p, false, rng);
    case Mutation::copy_shorter:
      return copy_shorter(p, rng);
    case Mutation::swap:
      return swap_tasks(p, rng);
    case Mutation::overlap:
      return overlap(p, rng);
    case Mutation::wait_removed:
      return wait_removed(p, rng);
    case Mutation::loop_shorter:
      return loop_shorter(p, rng);
  }
  return {};
}

}  // namespace dse::test
