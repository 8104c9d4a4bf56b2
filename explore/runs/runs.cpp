#include "explore/runs/runs.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/units.h"
#include "explore/measure/point.h"
#include "plan/choices/homes.h"
#include "plan/make/make_plan.h"
#include "plan/network/layers.h"
#include "plan/place/rigid.h"
#include "plan/rules/phased_front.h"
#include "plan/segment/phased.h"
#include "sim/platform.h"

namespace dse::explore {
namespace {

/// Combinations of homes that are tried for one run: a run that joins many tensors would have very many.
constexpr std::size_t kMostHomes = 32;

/// The device with room for everything, since a run is timed in a plan whose other layers are of no interest.
hw::DevicePtr roomy(const hw::Device& device, const nn::Network& network) {
  std::int64_t all = 0;
  for (const auto& t : network.tensors) all += t.bytes();
  auto out = std::make_shared<hw::Device>(device);
  for (auto& m : out->memories) m.size += 4 * all;
  return out;
}

class Measuring {
 public:
  Measuring(const Case& c, const Space& space, const std::vector<LayerFront>& layers)
      : space_(space), network_(*c.network), case_(c) {
    case_.device = roomy(*c.device, *c.network);
    case_.lowered = {};
    for (std::size_t t = 0; t < layers.size(); ++t)
      for (const auto& e : layers[t].entries)
        if (e.choice.weights_memory != plan::kStreamed) residents_.insert({space.tasks[t].op, e.choice.weights_memory});
  }

  /// So far every run was tried at all its homes.
  bool all_homes() const { return all_homes_; }
  /// The run at all homes, those included that nothing was found for.
  std::vector<Run> all(const plan::shared::RowSegment& segment) {
    std::vector<Run> out;
    Run run;
    run.first = segment.first, run.last = segment.last;
    find_tensors(run);
    for (auto& homes : combinations(run)) {
      run.from.assign(homes.begin(), homes.begin() + static_cast<std::ptrdiff_t>(run.from.size()));
      run.to.assign(homes.begin() + static_cast<std::ptrdiff_t>(run.from.size()), homes.end());
      run.options.clear();
      std::set<int> memories = {plan::kStreamed};
      for (const auto& [op, memory] : residents_)
        if (contains(run, op)) memories.insert(memory);
      for (const int inside : memories_inside())
        for (const int weights : memories)
          if (auto option = measured(run, segment, inside, weights)) run.options.push_back(std::move(*option));
      if (!run.options.empty()) out.push_back(run);
    }
    return out;
  }

 private:
  const hw::Device& device() const { return *case_.device; }
  bool contains(const Run& run, int op) const {
    const auto begin = space_.layers.begin();
    return std::find(begin + run.first, begin + run.last + 1, op) != begin + run.last + 1;
  }

  /// The tensors that cross the ends of a run, homes open.
  void find_tensors(Run& run) const {
    std::set<int> from, to;
    for (int k = run.first; k <= run.last; ++k) {
      const auto& op = network_.operators[space_.layers[k]];
      for (const int t : plan::activations(network_, op)) {
        const int root = space_.root[t], maker = network_.producer(root);
        if (maker < 0 || !contains(run, maker)) from.insert(root);
      }
      for (const int t : op.outputs) {
        const int root = space_.root[t];
        const auto& readers = space_.readers[root];
        const bool wanted =
            std::any_of(readers.begin(), readers.end(), [&](int reader) { return !contains(run, reader); });
        if (wanted || space_.stays[root]) to.insert(root);
      }
    }
    run.from.clear(), run.to.clear();
    for (const int t : from) run.from.push_back({t, 0});
    for (const int t : to) run.to.push_back({t, 0});
  }

  /// Homes for the tensors of `from` and then `to`: channels last, and within the engine's reach what the run itself
  /// goes on with.
  std::vector<std::vector<std::pair<int, int>>> combinations(const Run& run) {
    const auto& engine = device().engines[device().compute_engine()];
    std::vector<std::vector<std::pair<int, int>>> out(1);
    auto tensors = run.from;
    tensors.insert(tensors.end(), run.to.begin(), run.to.end());
    for (std::size_t k = 0; k < tensors.size(); ++k) {
      const int t = tensors[k].first, maker = network_.producer(t);
      const bool inside = k >= run.from.size() && maker != space_.layers[run.last];
      std::vector<std::vector<std::pair<int, int>>> longer;
      for (int h = 0; h < static_cast<int>(space_.homes[t].size()); ++h) {
        const auto& home = space_.homes[t][h];
        if (home.layout != plan::TensorLayout::hwc || (inside && !engine.reaches(home.memory))) continue;
        for (auto homes : out) {
          homes.push_back({t, h});
          longer.push_back(std::move(homes));
        }
      }
      out = std::move(longer);
      if (out.size() > kMostHomes) out.resize(kMostHomes), all_homes_ = false;
    }
    return out;
  }

  /// Where rows may lie that nobody outside wants.
  std::vector<int> memories_inside() const {
    const auto& engine = device().engines[device().compute_engine()];
    std::vector<int> out;
    for (const int m : plan::home_memories(device()))
      if (engine.reaches(m)) out.push_back(m);
    if (out.empty()) out.push_back(engine.memories.front());
    return out;
  }

  std::vector<plan::LayerChoice> choices_of(const Run& run, const plan::shared::RowSegment& segment, int inside,
                                            int weights) const {
    auto base = plan::plain_choices(network_, device(), device().io);
    for (int k = run.first; k <= run.last; ++k) {
      const int op = space_.layers[k];
      base[op].output_memory = inside;
      base[op].weights_memory = residents_.count({op, weights}) ? weights : plan::kStreamed;
    }
    for (const auto* tensors : {&run.from, &run.to})
      for (const auto& [t, h] : *tensors)
        if (const int maker = network_.producer(t); maker >= 0)
          base[maker].output_memory = space_.homes[t][h].memory, base[maker].output_layout = plan::TensorLayout::hwc;
    plan::shared::Segmentation only;
    only.segments.push_back(segment);
    return plan::phased_choices(network_, device(), std::move(base), space_.whole.alias_reshapes, only);
  }

  std::optional<RunOption> measured(const Run& run, const plan::shared::RowSegment& segment, int inside, int weights) {
    const auto choices = choices_of(run, segment, inside, weights);
    for (const auto& [t, h] : run.to)  // phases may want a tensor elsewhere
      if (choices[network_.producer(t)].output_memory != space_.homes[t][h].memory) return std::nullopt;
    const auto made = plan::plan_of(network_, device(), {space_.whole, choices}, plan::Offsets::none);
    if (!std::holds_alternative<plan::Plan>(made)) return std::nullopt;
    const auto& plan = std::get<plan::Plan>(made);
    const auto at = std::find_if(plan.segments.begin(), plan.segments.end(),
                                 [](const auto& s) { return s.kind == plan::SegmentKind::phased; });
    if (at == plan.segments.end()) return std::nullopt;
    const int number = static_cast<int>(at - plan.segments.begin());
    RunOption out;
    for (int k = run.first; k <= run.last; ++k) out.choices.push_back(plan.choices[space_.layers[k]]);
    if (!time(plan, number, out)) return std::nullopt;
    weigh(run, plan, number, out);
    return out;
  }

  bool time(const plan::Plan& plan, int segment, RunOption& out) {
    const auto program = lower(case_, plan);
    const auto section = std::find_if(program.sections.begin(), program.sections.end(),
                                      [&](const auto& s) { return s.segment == segment; });
    ensure(section != program.sections.end(), "a program without a section for a segment of its plan");
    auto job = sim::whole_program(program, device());
    job.first_section = job.last_section = static_cast<int>(section - program.sections.begin());
    auto& platform = sim::Platform::instance();
    platform.configure(case_.device);
    const auto run = platform.run({job}, {.data = false, .accounts = false, .trace = false});
    if (run.failure) return false;
    out.costs = costs_of(run, device());
    return true;
  }

  /// What lives in each memory at most, step by step.
  void weigh(const Run& run, const plan::Plan& plan, int segment, RunOption& out) const {
    const auto made = plan::phased_plan(network_, device(), plan);
    ensure(std::holds_alternative<plan::PhasedPlan>(made), "a plan whose phases cannot run");
    const auto& phased = std::get<plan::PhasedPlan>(made);
    const auto [begin, end] = phased.steps[segment];
    const auto touched = [&](int tensor) {
      const int maker = network_.producer(tensor);
      return (maker >= 0 && contains(run, maker)) ||
             std::any_of(run.from.begin(), run.from.end(), [&](const auto& f) { return f.first == tensor; });
    };
    for (int m = 0; m < static_cast<int>(device().memories.size()); ++m) {
      std::vector<plan::shared::Piece> pieces;
      std::int64_t resident = 0;
      for (const auto& b : plan.buffers) {
        if (b.memory != m || b.role == program::BufferRole::constants || b.role == program::BufferRole::state) continue;
        if (b.name.ends_with(".resident")) {
          resident += round_up(b.size, device().memories[m].alignment);
          continue;
        }
        if (b.tensor >= 0 && !touched(b.tensor)) continue;
        const auto* use = b.tensor >= 0 ? phased.use_of(b.tensor) : nullptr;
        auto shape =
            use && use->ring > 0 ? plan::shared::ring_shapes(*use, 1, 0).front() : plan::shared::shape_of(b.life);
        std::erase_if(shape.taken,
                      [&, begin = begin, end = end](const auto& t) { return t.to <= begin || t.from >= end; });
        for (auto& t : shape.taken) t.from = std::max(t.from, begin), t.to = std::min(t.to, end);
        if (!shape.taken.empty()) pieces.push_back({{std::move(shape)}, device().memories[m].alignment});
      }
      out.local.push_back(pieces.empty() ? 0 : plan::shared::load_of(pieces));
      out.resident.push_back(resident);
    }
  }

  const Space& space_;
  const nn::Network& network_;
  Case case_;
  std::set<std::pair<int, int>> residents_;  // operator, memory
  bool all_homes_ = true;
};

bool no_worse(const RunOption& a, const RunOption& b) {
  for (int c = 0; c < kCosts; ++c)
    if (a.costs[c] > b.costs[c]) return false;
  for (std::size_t m = 0; m < a.local.size(); ++m)
    if (a.local[m] > b.local[m] || a.resident[m] > b.resident[m]) return false;
  return true;
}

void add(std::vector<RunOption>& options, RunOption option) {
  if (std::any_of(options.begin(), options.end(), [&](const auto& o) { return no_worse(o, option); })) return;
  std::erase_if(options, [&](const auto& o) { return no_worse(option, o); });
  options.push_back(std::move(option));
}

}  // namespace

Runs runs_of(const Case& c, const Space& space, const std::vector<LayerFront>& layers,
             const std::vector<plan::shared::Segmentation>& points, const std::function<bool()>& stop) {
  Runs out;
  if (c.device->compute_engine() < 0 || space.whole.input == plan::shared::Input::streamed) return out;
  if (space.layers != plan::layers_of(*c.network, space.whole.alias_reshapes)) return out;
  std::vector<plan::shared::RowSegment> segments;
  for (const auto& p : points)
    for (const auto& s : p.segments)
      if ((s.first < s.last || s.rows > 0) && std::find(segments.begin(), segments.end(), s) == segments.end())
        segments.push_back(s);
  Measuring measuring(c, space, layers);
  for (const auto& s : segments) {
    if (stop && stop()) {
      out.all = false;
      break;
    }
    for (auto& run : measuring.all(s)) {
      const auto same = std::find_if(out.list.begin(), out.list.end(), [&](const Run& r) {
        return r.first == run.first && r.last == run.last && r.from == run.from && r.to == run.to;
      });
      auto& at = same != out.list.end() ? *same : out.list.emplace_back(Run{run.first, run.last, run.from, run.to, {}});
      for (auto& option : run.options) add(at.options, std::move(option));
    }
  }
  out.all &= measuring.all_homes();
  return out;
}

Runs runs_of(const Case& c, const SweepSpec& spec, const Space& space, const std::vector<LayerFront>& layers,
             const std::function<bool()>& stop) {
  if (!spec.by_phases || spec.simulations > 0 || c.device->compute_engine() < 0) return {};
  return runs_of(c, space, layers, plan::phased_points(*c.network, *c.device, c.whole, kMostPhases), stop);
}

}  // namespace dse::explore
