#include "explore/explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/log.h"
#include "base/system/whole_file.h"
#include "explore/engine/quarantine.h"
#include "explore/engine/teller.h"
#include "explore/engine/work.h"
#include "explore/front/accuracy.h"
#include "explore/front/across.h"
#include "explore/front/least.h"
#include "explore/question/metric.h"
#include "explore/within.h"
#include "explore/without.h"
#include "models/nn/graph/cut.h"
#include "models/nn/graph/price.h"
#include "plan/choices/choice.h"
#include "plan/document/document.h"

namespace dse::explore {
namespace {

using Clock = std::chrono::steady_clock;

/// Between two fronts so far, at first; then twice as long each time.
constexpr auto kSlice = std::chrono::seconds(10);

void write_plans(Work& work, const ExploreOptions& options) {
  if (options.out.empty() || !options.store_plans) return;
  std::filesystem::create_directories(options.out + "/plans");
  for (auto* list : {&work.front.points, &work.front.marked})
    for (auto& p : *list) {
      p.plan_file = "plans/" + p.id + ".yaml";
      const auto document = work.documents.find(p.id);
      const auto given = std::find_if(work.given.begin(), work.given.end(), [&](const GivenPlan& g) {
        return g.plan.id() == p.id && g.plan.origin == plan_origin(p);
      });
      if (given != work.given.end())
        write_whole(options.out + "/" + p.plan_file, plan::write_plan(given->plan, *work.c->network, *work.c->device));
      else if (document != work.documents.end())
        write_whole(options.out + "/" + p.plan_file, document->second);
      else
        p.plan_file.clear();
    }
}

/// The budget ended the search of a case without points before there was a plan, or a proof that there is none.
bool ended_open(const Engine& engine, const Work& work) {
  const auto& front = work.front;
  const auto& spec = engine.spec;
  if (!front.points.empty() || !work.hopeless.empty()) return false;
  // The schedule of an NPU that takes least memory is always tried.
  if (front.on_npu) return front.skipped > 0 && !spec.constraints.empty();
  const bool runs = spec.by_phases && work.c->device->compute_engine() >= 0;  // which no count goes to (runs.h)
  const bool ended = engine.late() || (spec.simulations > 0 && (runs || !front.complete));
  const auto has_none = [](const LayerFront& l) {  // whatever the memories are
    return l.entries.empty() && l.complete() && l.own + l.fetched == 0;
  };
  const auto missed = [](const Least& l) { return l.alone.complete && l.alone.value > l.limit; };
  return ended && std::none_of(work.layers.begin(), work.layers.end(), has_none) &&
         std::none_of(front.least.begin(), front.least.end(), missed);
}

/// What the reader has to know about how far the search got.
void note_completeness(Work& work, const SweepSpec& spec, bool interrupted) {
  auto& front = work.front;
  if (front.skipped > 0 && !interrupted)
    front.notes.push_back(fmt::format(
        "{} {}schedules were not simulated: the budget of {} was used up{}", front.skipped,
        front.on_npu ? "" : "layer ",
        spec.seconds > 0 ? fmt::format("{} s", spec.seconds) : fmt::format("{} simulations", spec.simulations),
        spec.seconds > 0 ? "; another run may find another front" : ""));
  const auto unsearched =
      std::count_if(work.layers.begin(), work.layers.end(), [](const auto& l) { return l.unsearched; });
  if (unsearched > 0 && !interrupted)
    front.notes.push_back(fmt::format("{} of {} searches of layers were not made: the budget of {} s was used up",
                                      unsearched, work.layers.size(), spec.seconds));
  if (!interrupted) return;
  front.complete = false;
  front.notes.push_back("interrupted: the front so far; run the same command again to go on");
  if (front.points.empty()) front.infeasible_reason = "interrupted before any plan was found";
}

void log_discarded(const Work& work) {
  const auto& f = work.front;
  log_debug(fmt::format(
      "{}: {} simulated, {} points; left out: {} proven dominated, {} infeasible, {} outside of the "
      "space, {} beyond the budget, {} lost",
      work.name(), f.simulated, f.points.size(), f.proven_dominated, f.infeasible, f.outside, f.skipped, f.lost));
}

/// What a network is that shares its name, what of it is the host's, and what its times leave out.
void note_what_it_is(Work& work) {
  auto& notes = work.front.notes;
  if (!work.c->network_file.empty()) notes.push_back(work.c->network_name() + " is " + work.c->network_file);
  if (auto host = nn::host_text(*work.c->network); !host.empty()) notes.push_back(std::move(host));
  if (auto priced = nn::priced_text(*work.c->network); !priced.empty()) notes.push_back(std::move(priced));
  if (work.front.points.empty()) return;
  for (auto& note : timing_notes(*work.c)) notes.push_back(std::move(note));
}

}  // namespace

static Sweep search(const SweepSpec& spec, const std::vector<Case>& cases, const ExploreOptions& options,
                    Diagnostics& diags) {
  const auto registry = options.registry ? *options.registry : plan::ChoiceRegistry::standard();
  Sweep sweep;
  const auto start = Clock::now();
  std::unique_ptr<Study> study;
  if (!options.out.empty()) {
    std::filesystem::create_directories(options.out);
    study = std::make_unique<Study>(options.out + "/study.sqlite", options.info);
  }
  // Cases of devices with an NPU go their own way, by the places that follow.
  std::vector<std::pair<bool, std::size_t>> place;
  std::size_t counts[2] = {0, 0};
  for (const auto& c : cases) {
    const bool on_npu = c.device->npu() >= 0;
    place.emplace_back(on_npu, counts[on_npu]++);
  }
  std::vector<Work> works(counts[0]), npu_works(counts[1]);
  const auto work_at = [&](std::size_t i) -> Work& { return (place[i].first ? npu_works : works)[place[i].second]; };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    auto& work = work_at(i);
    work.c = &cases[i];
    const LoggedStage logged("space of " + work.name());
    work.space = std::make_unique<Space>(*cases[i].network, *cases[i].device, spec);
    work.goal = goal_of(spec, *cases[i].network, *cases[i].device);
    if (!spec.constraints.empty()) work.questions = 2 + 2 * std::ssize(spec.constraints);
    describe_front(cases[i], work.front);
    work.hopeless = lacks_constants(cases[i]);
    if (!study) continue;
    const auto& c = cases[i];
    work.network_subject =
        study->subject({"network", c.network->structure_hash() + "/" + c.device->hash(), c.device->hash(),
                        c.network_name(), "", c.device_label, c.device->tick_hz()});
    study->describe(c.device_label, c.device->hash(), c.device->area_mm2(), c.device->energy_source);
    for (auto& known : study->candidates(work.network_subject)) work.known.emplace(known.assignment, std::move(known));
    log_debug(fmt::format("{}: {} whole plans known from the study", work.name(), work.known.size()));
  }
  Teller teller(options);
  Engine engine{spec, options, registry, study.get(), teller, diags, {}, {}};
  if (spec.seconds > 0) {
    const auto all = std::chrono::microseconds(static_cast<std::int64_t>(spec.seconds * 1e6));
    engine.grace = all / 20;
    engine.deadline = start + all - 2 * engine.grace;  // points in full take their time as well
  }

  const auto stage = [](const char* name, const auto& work) {
    const LoggedStage logged(name);
    return work();
  };
  stage("plans by rule and given ones", [&] { simulate_given(engine, works), simulate_given(engine, npu_works); });
  if (!npu_works.empty()) stage("schedules of the NPU", [&] { search_npu(engine, npu_works); });
  if (!works.empty() && spec.search == "exhaustive") {
    stage("exhaustive search", [&] { search_exhaustively(engine, works); });
  } else if (!works.empty()) {
    LayerStage layers(engine, works);
    const auto interim = [&] { settle(engine, works, false); };
    stage("quick look at the layers", [&] { layers.quick(); });
    if (!layers.late()) stage("front so far", interim);
    for (auto slice = kSlice; !engine.interrupted(); slice *= 2) {
      if (stage("search of the layers", [&] { return layers.search(Clock::now() + slice); })) break;
      stage("front so far", interim);
    }
    stage("composition, whole plans and the front", [&] { settle(engine, works, true); });
    stage("what is possible where nothing keeps the limits", [&] { ask_least(engine, works); });
  }
  teller.tell();
  if (study) study->flush();

  for (std::size_t i = 0; i < cases.size(); ++i) {
    auto& work = work_at(i);
    log_discarded(work);
    note_completeness(work, spec, engine.interrupted());
    note_what_it_is(work);
    if (work.front.points.empty() && !work.hopeless.empty()) work.front.infeasible_reason = work.hopeless;
    work.front.undecided = ended_open(engine, work);
    // "No plan" is a verdict on the network and the device; without a reason it is a defect of the search.
    ensure(!work.front.points.empty() || !work.front.infeasible_reason.empty(),
           work.name() + " has no plan and no reason for it");
    report_defects(work.front, diags);
    write_plans(work, options);
    sweep.fronts.push_back(std::move(work.front));
  }
  sweep.provenance.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return sweep;
}

/// What is searched on no device is decided here: devices that are over a limit by themselves have no plan, and the
/// fronts of the others are compared with each other in the end.
Sweep explore(const SweepSpec& asked, const std::vector<Case>& cases, const ExploreOptions& options,
              Diagnostics& diags) {
  std::vector<Case> searched;
  std::vector<std::string> over;
  for (const auto& c : cases) {
    check_case(asked, c, diags);
    if (diags.has_errors()) return {};  // the next one may well lack the same
    over.push_back(over_limit(asked, c));
    if (over.back().empty()) searched.push_back(c);
  }
  const auto spec = on_one_device(asked);
  Sweep sweep;
  if (!searched.empty()) sweep = search(spec, searched, options, diags);
  add_smallest_within(spec, searched, options, search, sweep, diags);
  add_without(spec, searched, options, search, sweep, diags);
  if (diags.has_errors() && sweep.fronts.size() < searched.size()) return sweep;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!over[i].empty()) {
      auto& front = *sweep.fronts.emplace(sweep.fronts.begin() + static_cast<std::ptrdiff_t>(i));
      describe_front(cases[i], front);
      front.objectives = spec.objectives, front.constraints = spec.constraints, front.infeasible_reason = over[i];
    }
    for (const auto& k : asked.constraints)
      if (is_of_case(k.metric)) sweep.fronts[i].constraints.push_back(k);
  }
  const bool interrupted = options.interrupted != nullptr && options.interrupted->load();
  tell_errors(cases, sweep.fronts);
  if (!interrupted) sweep.across = across_of(sweep.fronts, asked.objectives);  // else some may have no front yet
  return sweep;
}

}  // namespace dse::explore
