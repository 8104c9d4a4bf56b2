#include "explore/runs/runs.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/units.h"
#include "explore/measure/point.h"
#include "explore/question/allowed.h"
#include "explore/runs/run_places.h"
#include "explore/runs/ways.h"
#include "plan/make/make_plan.h"
#include "plan/make/offsets.h"
#include "plan/network/layers.h"
#include "plan/place/rigid.h"
#include "plan/rules/phased_front.h"
#include "plan/segment/phased.h"
#include "sim/platform.h"

namespace dse::explore {
namespace {

/// The device with room for everything, since a run is timed in a plan whose other layers are of no interest.
hw::DevicePtr roomy(const hw::Device& device, const nn::Network& network) {
  std::int64_t all = 0;
  for (const auto& t : network.tensors) all += t.bytes();
  auto out = std::make_shared<hw::Device>(device);
  for (auto& m : out->memories) m.make_room(m.size + 4 * all);
  return out;
}

class Measuring {
 public:
  Measuring(const Case& c, const SweepSpec& spec, const Space& space)
      : spec_(spec), space_(space), network_(*c.network), case_(c), places_(c, spec, space) {
    case_.device = roomy(*c.device, *c.network);
    case_.lowered = {};
  }

  /// The run at all homes, and what stands for the ways that were not tried.
  Runs runs_of(const plan::shared::RowSegment& segment) {
    Runs out;
    Run run = places_.open_run(segment.first, segment.last);
    const auto homes = places_.homes_of(run);
    const auto ways = places_.ways_of(run, homes.list.size());
    out.all = homes.all;
    for (const auto& at : homes.list) {
      run.from.assign(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(run.from.size()));
      run.to.assign(at.begin() + static_cast<std::ptrdiff_t>(run.from.size()), at.end());
      run.options.clear();
      busy_ = kUnlimited;
      for (const auto& way : ways.list)
        if (auto option = measured(run, segment, way)) run.options.push_back(std::move(*option));
      // What stands for the others is right only where all of these are there.
      out.all = out.all && (ways.all || run.options.size() == ways.list.size());
      if (run.options.empty()) continue;
      if (!ways.all) out.open.push_back(Run{run.first, run.last, run.from, run.to, {least_of(run.options)}});
      out.list.push_back(run);
    }
    return out;
  }

 private:
  const hw::Device& device() const { return *case_.device; }
  /// No way to run it takes or needs less: kernels take their time wherever operands lie, each row lies in one memory,
  /// and filters that stay need no room besides. `options` have all in one memory, each, and all filters resident.
  RunOption least_of(const std::vector<RunOption>& options) const {
    RunOption out = options.front();
    out.choices.clear();
    out.costs = {};
    add_ticks(out.costs, busy_, costs_per_tick(hw::EnergyRates(device())));
    for (const auto& o : options)
      for (std::size_t m = 0; m < out.local.size(); ++m) out.local[m] = std::min(out.local[m], o.local[m]);
    out.resident.assign(out.resident.size(), 0);
    return out;
  }

  std::vector<plan::LayerChoice> choices_of(const Run& run, const plan::shared::RowSegment& segment,
                                            const Digits& way) const {
    auto base = plan::plain_choices(network_, device(), device().io);
    for (int k = run.first; k <= run.last; ++k) {
      const int op = space_.layers[k];
      const auto place = static_cast<std::size_t>(k - run.first);
      base[op].output_memory = way[place];
      base[op].weights_memory = way[way.size() / 2 + place];
    }
    for (const auto* tensors : {&run.from, &run.to})
      for (const auto& [t, h] : *tensors)
        if (const int maker = network_.producer(t); maker >= 0)
          base[maker].output_memory = space_.homes[t][h].memory, base[maker].output_layout = plan::TensorLayout::hwc;
    plan::shared::Segmentation only;
    only.segments.push_back(segment);
    return plan::phased_choices(network_, device(), std::move(base), space_.whole.alias_reshapes, only);
  }

  std::optional<RunOption> measured(const Run& run, const plan::shared::RowSegment& segment, const Digits& way) {
    const auto choices = choices_of(run, segment, way);
    for (const auto& [t, h] : run.to)  // phases may want a tensor elsewhere
      if (choices[network_.producer(t)].output_memory != space_.homes[t][h].memory) return std::nullopt;
    const std::span<const int> ops{space_.layers.data() + run.first,
                                   static_cast<std::size_t>(run.last - run.first + 1)};
    if (!broken_choice(spec_.choices, network_, device(), choices, space_.whole.alias_reshapes,
                       plan::ChoiceRegistry::standard(), ops)
             .empty())
      return std::nullopt;
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
    auto job = sim::program_part(program, device());
    job.first_section = job.last_section = static_cast<int>(section - program.sections.begin());
    auto& platform = sim::Platform::instance();
    platform.configure(case_.device);
    const auto run = platform.run({job}, {.data = false, .accounts = false, .trace = false});
    if (run.failure) return false;
    out.costs = costs_of(run, device());
    for (const auto& use : run.engines)
      if (program.queues[use.queue].engine == device().compute_engine()) busy_ = std::min(busy_, use.busy);
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
      return (maker >= 0 && places_.contains(run, maker)) ||
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
        auto shape = use && use->ring > 0
                         ? plan::shared::ring_shapes(*use, 1, 0).front()
                         : plan::shared::shape_of(plan::counted_life(b, device().memories[m].alignment));
        std::erase_if(shape.taken,
                      [&, begin = begin, end = end](const auto& t) { return t.to <= begin || t.from >= end; });
        for (auto& t : shape.taken) t.from = std::max(t.from, begin), t.to = std::min(t.to, end);
        if (!shape.taken.empty()) pieces.push_back({{std::move(shape)}, device().memories[m].alignment});
      }
      out.local.push_back(pieces.empty() ? 0 : plan::shared::load_of(pieces));
      out.resident.push_back(resident);
    }
  }

  const SweepSpec& spec_;
  const Space& space_;
  const nn::Network& network_;
  Case case_;
  RunPlaces places_;
  std::int64_t busy_ = 0;  // ticks that the engine computes in a run, in the option with the least
};

bool no_worse(const RunOption& a, const RunOption& b) {
  for (int c = 0; c < kCosts; ++c)
    if (a.costs[c] > b.costs[c]) return false;
  for (std::size_t m = 0; m < a.local.size(); ++m)
    if (a.local[m] > b.local[m] || a.resident[m] > b.resident[m]) return false;
  return true;
}

}  // namespace

std::vector<Run> undominated(std::vector<Run> runs) {
  for (auto& run : runs) {
    std::vector<RunOption> kept;
    for (auto& option : run.options) {
      if (std::any_of(kept.begin(), kept.end(), [&](const auto& o) { return no_worse(o, option); })) continue;
      std::erase_if(kept, [&](const auto& o) { return no_worse(option, o); });
      kept.push_back(std::move(option));
    }
    run.options = std::move(kept);
  }
  return runs;
}

std::vector<plan::shared::RowSegment> segments_of(const Case& c, const SweepSpec& spec, const Space& space,
                                                  const std::vector<plan::shared::Segmentation>& points) {
  std::vector<plan::shared::RowSegment> out;
  if (!spec.by_phases || spec.simulations > 0 || c.device->compute_engine() < 0) return out;
  if (space.whole.input == plan::shared::Input::streamed) return out;
  if (space.layers != plan::layers_of(*c.network, space.whole.alias_reshapes)) return out;
  for (const auto& p : points)
    for (const auto& s : p.segments)
      if ((s.first < s.last || s.rows > 0) && std::find(out.begin(), out.end(), s) == out.end()) out.push_back(s);
  return out;
}

Runs runs_of(const Case& c, const SweepSpec& spec, const Space& space, const plan::shared::RowSegment& segment) {
  return Measuring(c, spec, space).runs_of(segment);
}

void join(Runs& all, Runs some) {
  std::move(some.open.begin(), some.open.end(), std::back_inserter(all.open));
  for (auto& run : some.list) {
    const auto same = std::find_if(all.list.begin(), all.list.end(), [&](const Run& r) {
      return r.first == run.first && r.last == run.last && r.from == run.from && r.to == run.to;
    });
    auto& at = same != all.list.end() ? *same : all.list.emplace_back(Run{run.first, run.last, run.from, run.to, {}});
    std::move(run.options.begin(), run.options.end(), std::back_inserter(at.options));
  }
  all.all = all.all && some.all;
}

Runs runs_of(const Case& c, const SweepSpec& spec, const Space& space, int most, const std::function<bool()>& stop) {
  Runs out;
  if (!spec.by_phases || c.device->compute_engine() < 0) return out;
  for (const auto& s : segments_of(c, spec, space, plan::phased_points(*c.network, *c.device, c.whole, most))) {
    if (stop && stop()) {
      out.all = false;
      break;
    }
    join(out, runs_of(c, spec, space, s));
  }
  return out;
}

}  // namespace dse::explore
