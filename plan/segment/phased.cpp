#include "plan/segment/phased.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "plan/layer/compute/batches.h"
#include "plan/network/layers.h"
#include "plan/network/parts.h"

namespace dse::plan {
namespace {

Infeasible no(const nn::Network& n, int op, const std::string& why, std::string hint = "") {
  return {"layer " + n.operators[op].name + ": " + why, std::move(hint), op};
}

}  // namespace

std::variant<std::vector<Segment>, Infeasible> segments_of(const nn::Network& network,
                                                           const std::vector<LayerChoice>& choices,
                                                           const std::vector<int>& layers) {
  std::vector<Segment> out;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    Segment s;
    s.operators.push_back(layers[i]);
    if (choices[layers[i]].phases != Phases::no) s.kind = SegmentKind::phased;
    // Where the next layer runs by itself or elsewhere, the segment ends.
    while (choices[s.operators.back()].phases == Phases::with_next && i + 1 < layers.size() &&
           choices[layers[i + 1]].phases != Phases::no &&
           choices[layers[i + 1]].engine == choices[s.operators.front()].engine)
      s.operators.push_back(layers[++i]);
    for (const int op : s.operators) {
      if (s.kind == SegmentKind::layerwise) break;
      if (!by_rows(network, network.operators[op])) return no(network, op, "it cannot run by rows, so not by phases");
    }
    out.push_back(std::move(s));
  }
  return out;
}

std::string phased_geometry(LayerGeometry& g, const LayerContext& context, const LayerChoice& choice) {
  const auto& n = *context.network;
  const auto& device = *context.device;
  const auto& op = n.operators[context.op];
  const auto& engine = device.engines[g.engine];
  g.phased = g.whole = true;
  g.tile = g.op.out_h, g.filters = g.op.out_c;
  if (choice.scheme != Scheme::interleaved || choice.filters || choice.channels)
    return "layers that run by phases are interleaved, with all filters";
  if (choice.output_layout != TensorLayout::hwc) return "layers that run by phases write channels-last tensors";
  if (choice.output_memory < 0) return "the output has no home";
  const auto inputs = activations(n, op);
  g.inputs.resize(std::max<std::size_t>(2, inputs.size()));
  g.input_count = static_cast<int>(inputs.size());
  const auto away = [&](int from, int to) {
    return "no copy engine leads from " + device.memories[from].name + " to " + device.memories[to].name;
  };
  for (int i = 0; i < g.input_count; ++i) {
    auto& in = g.inputs[i];
    in.home = context.inputs[i];
    if (in.home.layout != TensorLayout::hwc) return "layers that run by phases read channels-last tensors";
    in.in_place = engine.reaches(in.home.memory);
    if (!in.in_place && device.copy_engine(in.home.memory, g.near) < 0) return away(in.home.memory, g.near);
  }
  g.output = {choice.output_memory, TensorLayout::hwc};
  g.output_in_place = engine.reaches(g.output.memory);
  if (!g.output_in_place && device.copy_engine(g.near, g.output.memory) < 0) return away(g.near, g.output.memory);
  std::int64_t scratch = 0;
  for (const auto& call : op.calls) {
    const auto kernel = computed_like(g.op, call.op);
    scratch = std::max<std::int64_t>(scratch, dse_scratch_bytes(&kernel, &call.tile));
  }
  if (scratch > 0) g.buffers.push_back({"scratch", program::BufferRole::scratch, g.near, scratch});
  return {};
}

const shared::TensorUse* PhasedPlan::use_of(int tensor) const {
  for (const auto& t : schedule.tensors)
    if (t.tensor == tensor || (t.tensor < 0 && rows.tensor[t.layer] == tensor)) return &t;
  return nullptr;
}

std::vector<RowAccess> PhasedPlan::reads(const shared::Step& step) const {
  std::vector<RowAccess> out;
  for (const auto& e : rows.graph.edges) {
    if (e.to != step.layer) continue;
    RowAccess a{e.tensor, 0, e.rows};
    if (!e.window.whole) {
      a.lo = std::clamp<std::int64_t>(step.begin * e.window.stride - e.window.pad, 0, e.rows);
      a.hi = std::clamp<std::int64_t>((step.end - 1) * e.window.stride + e.window.kernel - e.window.pad, a.lo, e.rows);
    }
    out.push_back(a);
  }
  return out;
}

namespace {

/// Rings for the tensors of one phased segment whose homes the engine does not reach.
class NearPlanner {
 public:
  NearPlanner(const nn::Network& n, const hw::Device& d, const Plan& plan, const PhasedPlan& p, int segment)
      : n_(n), device_(d), plan_(plan), p_(p), segment_(segment) {
    const int op = plan.segments[segment].operators.front();
    engine_ = plan.choices[op].engine_of({.network = &n, .device = &d, .op = op});
  }

  std::variant<std::vector<NearRows>, Infeasible> run() {
    const auto [first, end] = p_.steps[segment_];
    for (int s = first; s < end; ++s) {
      const auto& step = p_.schedule.steps[s];
      if (p_.rows.op[step.layer] < 0) continue;  // rows that come in
      for (const auto& a : p_.reads(step)) note(s, a, false);
      note(s, {p_.rows.tensor[step.layer], step.begin, step.end}, true);
    }
    std::vector<NearRows> out;
    for (auto& [tensor, uses] : uses_) {
      if (auto r = ring(tensor, uses); r)
        out.push_back(*r);
      else
        return no(n_, n_.producer(tensor),
                  fmt::format("its rows stay in {}, which {} does not reach", device_.memories[home_of(tensor)].name,
                              device_.engines[engine_].name),
                  "output: " + device_.memories[device_.engines[engine_].memories.front()].name);
    }
    return out;
  }

 private:
  struct Use {
    int step;
    std::int64_t lo, hi;
    bool written;
  };
  int home_of(int tensor) const {
    const int producer = n_.producer(tensor);
    return producer < 0 ? device_.io : plan_.choices[producer].output_memory;
  }
  void note(int step, const RowAccess& a, bool written) {
    if (!device_.engines[engine_].reaches(home_of(a.tensor)) && a.hi > a.lo)
      uses_[a.tensor].push_back({step, a.lo, a.hi, written});
  }
  std::optional<NearRows> ring(int tensor, const std::vector<Use>& uses) const {
    const auto* use = p_.use_of(tensor);
    ensure(use, "a tensor that the schedule does not know");
    if (use->ring > 0 && n_.producer(tensor) >= 0) return std::nullopt;  // its home is the ring
    NearRows r;
    r.tensor = tensor, r.segment = segment_, r.memory = device_.engines[engine_].memories.front();
    r.rows = rows_of(n_, tensor), r.row_bytes = n_.tensors[tensor].bytes() / r.rows;
    r.first_step = uses.front().step, r.end_step = uses.back().step + 1;
    // From the end: the lowest row that this use or a later one touches; the highest that any has touched so far.
    std::vector<std::int64_t> lowest(uses.size());
    std::int64_t low = r.rows;
    for (std::size_t i = uses.size(); i-- > 0;) lowest[i] = low = std::min(low, uses[i].lo);
    std::int64_t high = 0;
    r.ring = 1;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      high = std::max(high, uses[i].hi);
      r.ring = std::max(r.ring, high - lowest[i]);
      (uses[i].written ? r.written : r.read) = true;
    }
    r.lowest.assign(static_cast<std::size_t>(r.end_step - r.first_step), r.rows);
    for (const auto& u : uses) {
      auto& at = r.lowest[static_cast<std::size_t>(u.step - r.first_step)];
      at = std::min(at, u.lo);
    }
    for (std::size_t i = r.lowest.size() - 1; i-- > 0;) r.lowest[i] = std::min(r.lowest[i], r.lowest[i + 1]);
    if (r.written) r.read = false;  // made here: what is read of it here has not been home
    return r;
  }

  const nn::Network& n_;
  const hw::Device& device_;
  const Plan& plan_;
  const PhasedPlan& p_;
  int segment_, engine_ = 0;
  std::map<int, std::vector<Use>> uses_;
};

}  // namespace

std::vector<shared::RowSegment> shared_segments(const Plan& plan) {
  std::vector<shared::RowSegment> segments;
  int position = 0;
  for (const auto& s : plan.segments) {
    shared::RowSegment out;
    out.first = position, out.last = position + static_cast<int>(s.operators.size()) - 1;
    position = out.last + 1;
    if (s.kind == SegmentKind::phased) {
      const auto& driver = plan.choices[s.operators.back()];
      out.rows = driver.tile, out.halo = driver.halo, out.strips = driver.strips;
      for (std::size_t i = 0; i + 1 < s.operators.size(); ++i) out.grain.push_back(plan.choices[s.operators[i]].tile);
    }
    segments.push_back(std::move(out));
  }
  return segments;
}

std::variant<PhasedPlan, Infeasible> phased_plan(const nn::Network& network, const hw::Device& device,
                                                 const Plan& plan) {
  PhasedPlan p;
  p.rows = row_graph(network, plan.alias_reshapes);
  const auto segments = shared_segments(plan);
  for (const auto& s : segments) {
    p.strips.emplace_back();
    if (s.strips == 1) continue;
    std::vector<int> layers;
    for (int l = 0; l < static_cast<int>(p.rows.op.size()); ++l)
      if (const auto& ops = plan.segments[p.strips.size() - 1].operators;
          std::find(ops.begin(), ops.end(), p.rows.op[static_cast<std::size_t>(l)]) != ops.end())
        layers.push_back(l);
    auto made = shared::strips_of(p.rows.graph, layers, s.strips, plan.input == shared::Input::streamed);
    if (const auto* why = std::get_if<std::string>(&made))
      return Infeasible{"layer " + *why, "strips: 1", plan.segments[p.strips.size() - 1].operators.back()};
    p.strips.back() = std::move(std::get<shared::Strips>(made));
  }
  p.schedule = shared::expand(p.rows.graph, segments, plan.input);
  const auto& steps = p.schedule.steps;
  p.steps.assign(plan.segments.size(), {0, 0});
  for (std::size_t i = 0; i < steps.size(); ++i) {
    auto& range = p.steps[steps[i].segment];
    if (range.second == 0) range.first = static_cast<int>(i);
    range.second = static_cast<int>(i) + 1;
  }
  for (std::size_t s = 0; s < plan.segments.size(); ++s) {
    if (plan.segments[s].kind != SegmentKind::phased) continue;
    auto near = NearPlanner(network, device, plan, p, static_cast<int>(s)).run();
    if (auto* bad = std::get_if<Infeasible>(&near)) return *bad;
    if (p.strips[s] && !std::get<0>(near).empty())
      return no(network, plan.segments[s].operators.back(),
                "strips need all tensors of the segment where the engine reaches them", "strips: 1");
    for (auto& r : std::get<0>(near)) p.near.push_back(r);
  }
  return p;
}

std::string near_rows_name(const nn::Network& network, const Plan& plan, const NearRows& near) {
  return fmt::format("{}.rows{}", network.operators[plan.segments[near.segment].operators.front()].name, near.tensor);
}

}  // namespace dse::plan
