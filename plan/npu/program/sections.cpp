#include "plan/npu/program/sections.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/index.h"
#include "plan/npu/schedule/live.h"

namespace dse::plan::npu {

using hw::ethos_u::Area;
using hw::ethos_u::Npu;

std::vector<Section> sections_of(const Compiled& c) {
  std::vector<Section> out;
  const Graph& g = *c.graph;
  std::size_t cpu = 0, segment = 0;
  while (cpu < g.fallbacks.size() || segment < g.segments.size()) {
    const int next = segment < g.segments.size() ? g.segments[segment].first : c.costs->count();
    if (cpu < g.fallbacks.size() && g.fallbacks[cpu].before <= next) {
      const int at = c.schedule.cpu_times.at(cpu);
      out.push_back({false, static_cast<int>(cpu++), at, at + 2});
      continue;
    }
    const auto& [first, last] = g.segments[segment];
    out.push_back({true, static_cast<int>(segment++), c.schedule.operations[index(first)].time,
                   c.schedule.operations[index(last - 1)].time + 2});
  }
  return out;
}

namespace {

int network_tensor(const Compiled& c, const LiveRange& r) {
  for (const int t : r.tensors)
    if (c.graph->tensors[index(t)].source >= 0) return c.graph->tensors[index(t)].source;
  return -1;
}

std::int64_t place_of(const Compiled& c, const LiveRange& r) {
  return r.tensors.empty() ? c.places.weights_in_fast.at({r.weights_of, r.buffer})
                           : c.places.tensor[index(r.tensors[0])];
}

/// Of what the host or the CPU wrote, or what keeps its value: without what the NPU's granules add.
std::int64_t dense_bytes(const Compiled& c, int tensor) {
  const int t = c.graph->tensors[index(tensor)].source;
  return t >= 0 && c.costs->format(tensor) == Format::nhwc ? c.network->tensors[index(t)].bytes()
                                                           : c.costs->bytes(tensor);
}

bool is_variable(const Compiled& c, const LiveRange& r) {
  return std::any_of(r.tensors.begin(), r.tensors.end(), [&](int t) { return c.graph->tensors[index(t)].variable; });
}

/// All that is live in a memory of feature maps, and which it is.
std::vector<std::pair<Area, LiveRange>> all_ranges(const Compiled& c) {
  std::vector<std::pair<Area, LiveRange>> out;
  Schedule schedule = c.schedule;
  for (auto& r : live_ranges(*c.costs, schedule)) out.emplace_back(Npu::fast(), std::move(r));
  for (auto& r : ranges_elsewhere(*c.costs, c.schedule)) out.emplace_back(c.npu.feature_maps(), std::move(r));
  return out;
}

/// Area, whether they are constants, whether they are written.
using Key = std::tuple<Area, bool, bool>;

/// Pieces of one list that do not share bytes.
void add_apart(std::map<Key, std::vector<std::pair<std::int64_t, std::int64_t>>> pieces, std::vector<Touched>& out) {
  for (auto& [which, list] : pieces) {
    std::sort(list.begin(), list.end());
    std::int64_t begin = -1, end = -1;
    const auto close = [&, &key = which] {
      if (end > begin) out.push_back({std::get<0>(key), std::get<1>(key), begin, end, std::get<2>(key)});
    };
    for (const auto& [from, to] : list) {
      if (from > end) close(), begin = from, end = to;
      end = std::max(end, to);
    }
    close();
  }
}

}  // namespace

std::vector<Range> ranges_of(const Compiled& c, const std::vector<Section>& sections) {
  std::vector<Range> out;
  if (sections.empty()) return out;
  std::map<std::string, int> names;
  const int end = sections.back().end;
  for (const auto& [area, r] : all_ranges(c)) {
    Range one{.name = {},
              .area = area,
              .role = r.tensors.empty() ? program::BufferRole::staging : program::BufferRole::scratch,
              .offset = place_of(c, r),
              .size = r.bytes,
              .first = 0,
              .last = 0,
              .tensor = network_tensor(c, r),
              .windows = {}};
    if (r.bytes == 0 || one.offset < 0) continue;
    const bool variable = is_variable(c, r);
    if (variable)
      one.role = program::BufferRole::state, one.size = dense_bytes(c, r.tensors[0]);
    else if (one.tensor >= 0)
      one.role = program::BufferRole::tensor;
    one.name = one.tensor >= 0 ? "t" + std::to_string(one.tensor) : r.name;
    if (r.buffer > 0) one.name += std::to_string(r.buffer);
    if (const int times = names[one.name]++; times > 0) one.name += "." + std::to_string(times);
    const int from = std::clamp(r.first, 0, end - 1), until = std::clamp(r.last, from, end - 1);
    const auto section_at = [&](int time) {
      int s = 0;
      while (s + 1 < static_cast<int>(sections.size()) && sections[index(s)].end <= time) ++s;
      return s;
    };
    one.first = section_at(from), one.last = section_at(until);
    if (variable) one.first = 0, one.last = static_cast<int>(sections.size()) - 1;
    for (int s = one.first; s <= one.last && !variable; ++s) {
      const Section& in = sections[index(s)];
      const int a = std::max(from, in.first) - in.first, b = std::min(until, in.end - 1) - in.first;
      if (in.on_npu && (a > 0 || b < in.end - 1 - in.first)) one.windows.push_back({s, a, b, 0, one.size});
    }
    out.push_back(std::move(one));
  }
  return out;
}

std::vector<Touched> touched_by(const Compiled& c, int segment) {
  const auto& [first, last] = c.graph->segments[index(segment)];
  std::map<Key, std::vector<std::pair<std::int64_t, std::int64_t>>> pieces;
  const auto add = [&](Area area, std::int64_t at, std::int64_t bytes, bool write) {
    if (bytes > 0 && at >= 0) pieces[{area, false, write}].emplace_back(at, at + bytes);
  };
  const auto add_constant = [&](std::int64_t at, std::int64_t bytes) {
    if (bytes > 0 && at >= 0) pieces[{c.npu.constants(), true, false}].emplace_back(at, at + bytes);
  };
  const auto inside = [&, from = first, to = last](const std::vector<int>& operations) {
    return std::any_of(operations.begin(), operations.end(), [&](int i) { return i >= from && i < to; });
  };
  for (const auto& [area, r] : all_ranges(c)) {
    bool made = r.weights_of >= first && r.weights_of < last;
    for (const int t : r.tensors) {
      const Tensor& x = c.graph->tensors[index(t)];
      made = made || inside(x.producers);
      if (inside(x.consumers) && (x.variable || !inside(x.producers)))
        add(area, place_of(c, r), std::min(r.bytes, dense_bytes(c, t)), false);
    }
    if (made) add(area, place_of(c, r), is_variable(c, r) ? dense_bytes(c, r.tensors[0]) : r.bytes, true);
  }
  for (int i = first; i < last; ++i) {
    const Operation& o = c.costs->op(i);
    if (const auto& w = c.schedule.operations[index(i)].weights; w && o.weights)
      add_constant(c.places.stream[index(i)], w->bytes);
    if (o.table_bytes) add_constant(c.places.table[index(i)], o.table_bytes);
    for (const int t : {o.ifm, o.ifm2})
      if (t >= 0 && c.costs->tensor(t).constant) add_constant(c.places.tensor[index(t)], c.costs->bytes(t));
  }
  std::vector<Touched> out;
  add_apart(std::move(pieces), out);
  return out;
}

}  // namespace dse::plan::npu
