// What a sweep knows of one case (network and device point) while it is being explored. Private to the engine.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "explore/compose/compose.h"
#include "explore/compose/near.h"
#include "explore/engine/teller.h"
#include "explore/front/front.h"
#include "explore/layer/layer_search.h"
#include "explore/measure/measure.h"
#include "explore/measure/results.h"
#include "explore/question/allowed.h"
#include "explore/question/case.h"
#include "explore/question/goal.h"
#include "explore/question/options.h"
#include "explore/runs/run.h"
#include "explore/space/space.h"
#include "explore/study/study.h"
#include "explore/workers/pool.h"
#include "plan/choices/choice.h"
#include "plan/plan.h"
#include "plan/segment/planner/planner.h"

namespace dse::explore {

/// A plan that is given, not searched: by rule, TFLM's, the user's.
struct GivenPlan {
  plan::Plan plan;
  Point point;
  bool simulated = false;
};

/// Why plans do not fit: the one that lacks least says it.
struct Unfit {
  std::string reason;          // empty: all fit
  std::int64_t shortfall = 0;  // bytes
  void take(const std::string& why, std::int64_t lacks) {
    if (reason.empty() || lacks < shortfall) reason = why, shortfall = lacks;
  }
};

struct Work {
  const Case* c = nullptr;
  std::unique_ptr<Space> space;
  Goal goal;
  // Stage 1, per task of the space.
  std::vector<LayerFront> layers;
  std::vector<LayerMemo> memos;
  std::vector<int> subjects;  // in the study
  // Stages 2 and 3.
  int network_subject = 0;
  CompositionFront composed, bound;                   // of what was simulated; of that and the bounds of what was not
  CompositionFront filed;                             // as `composed`, in the file's order, where there are others
  std::optional<Runs> runs;                           // by phases, with all their options
  CompositionFront by_runs;                           // as `filed`, with runs of layers by phases: those that have some
  std::vector<std::vector<plan::LayerChoice>> bases;  // that plans by phases are made over besides the composed ones
  std::vector<plan::Decisions> phased;                // plans by phases, simulated beside the composed ones
  std::size_t composed_phased = 0;                    // of these, the first: composed ones
  std::set<std::string> beaten;                       // whole plans, by text: something measured is at least as good
  std::set<std::string> settled;                      // by text: measured for the last front, and no matter why
  // Whole plans that a budget of simulations counts (plan_budget.h): for fronts so far, and for this one.
  std::int64_t looked_at = 0, tried = 0;
  std::int64_t questions = 1;  // that limits may lead to, the sweep's own among them
  std::vector<GivenPlan> given;
  std::map<std::string, Candidate> known;        // whole plans that an earlier run measured, by assignment text
  std::map<std::string, Measured> measured;      // whole plans made of schedules, by assignment text
  std::map<std::string, Point> reported;         // simulated in full for the next front, by plan id
  std::map<std::string, std::string> documents;  // their plan files
  bool closed = false;  // addresses cost nothing over the loads, or what they cost was settled (close_gap.h)
  std::int64_t whole_lost = 0;
  std::map<std::string, Measured> unplaced;  // what no layout of plans by phases is below, by assignment text
  std::optional<std::vector<plan::shared::Segmentation>> phases;  // what the planner of shared phases finds
  Unfit unfit;                                                    // of the plans by rule
  std::string hopeless;                                           // no plan fits, whatever is searched, because
  std::vector<LeftOut> left_out;
  std::vector<std::string> notes;  // that every front of this case carries
  Front front;                     // the latest
  std::string name() const { return c->network_name() + " on " + c->device_label; }
};

/// What all stages work with.
struct Engine {
  const SweepSpec& spec;
  const ExploreOptions& options;
  const plan::ChoiceRegistry& registry;
  Study* study;  // may be null
  Teller& teller;
  Diagnostics& diags;
  std::optional<std::chrono::steady_clock::time_point> deadline;  // of a sweep with a budget of time
  std::chrono::microseconds grace{0};                             // of it: a twentieth

  bool interrupted() const { return options.interrupted && options.interrupted->load(); }
  /// A budget of time is up: only what is needed for a front at all is done any more.
  bool late() const { return deadline && std::chrono::steady_clock::now() >= *deadline; }
  /// When a budget of time is up, but not so soon that nothing could be done any more.
  std::optional<std::chrono::steady_clock::time_point> until_end() const;
  /// With an end for everything that `until` ends, where that is not heeded.
  PoolOptions pool(WhenInterrupted when = WhenInterrupted::abandon,
                   std::optional<std::chrono::steady_clock::time_point> until = {}) const;
  /// Bytes that a worker may take.
  std::int64_t memory_each() const;
};

/// Stage 1: the schedules of each distinct layer.
class LayerStage {
 public:
  LayerStage(Engine& engine, std::vector<Work>& works);
  /// A few schedules of every layer, so that there is a first front.
  void quick();
  /// The rest, until `until`. @returns whether all layers are settled as far as the budget goes.
  bool search(std::chrono::steady_clock::time_point until);
  /// The time of the layers is up: search() has nothing to do any more.
  bool late() const { return deadline_ && std::chrono::steady_clock::now() >= *deadline_; }

 private:
  struct Item {
    int work, task;
    LayerBudget budget;
    std::string question;
    bool done = false;
  };
  void run(std::vector<Item*> items, std::int64_t cap, PoolOptions pool);
  std::vector<Item*> items_left();
  /// Where the time of the layers is up, those that are left stay as they are.
  void end_late();
  AfterLoss lost(Item& item, const Lost& loss);
  void take(const Item& item, const Candidate& candidate);

  Engine& engine_;
  std::vector<Work>& works_;
  std::vector<Item> items_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;  // of all layers
};

/// In units of the teller, layer schedules: a composition, a whole plan.
constexpr double kComposeWeight = 50, kPlanWeight = 5;
/// A candidate is given up after as many losses: a worker may be killed from outside, and a candidate that is at fault
/// is at fault again.
constexpr int kAttempts = 3;
/// Where there was no memory, a new worker has all that a worker may have: what fails there fails again.
constexpr int kAttemptsForMemory = 2;
inline bool may_try_again(const Lost& loss) { return loss.times < (loss.exhausted ? kAttemptsForMemory : kAttempts); }

/// For what cannot be left out: compositions, points that are reported. @throws std::runtime_error when it brings down
/// every worker, std::bad_alloc when there is no memory for it.
AfterLoss retry(const Lost& loss);

/// Makes the plans by rule and reads the user's, and simulates them in full.
void simulate_given(Engine& engine, std::vector<Work>& works);

/// Where the front's smallest plan runs its layers in another order than the file's: the smallest that does not joins
/// the given ones, for comparison.
void simulate_as_in_file(Engine& engine, std::vector<Work>& works);

/// Says what the limits of cases without a plan would have to be (Front::least), in words too. The same search is run
/// again with relaxed limits; what it finds that keeps all of them becomes the front after all.
void ask_least(Engine& engine, std::vector<Work>& works);

/// Simulates the runs of layers by phases of each case that has not got them: Work::runs.
void measure_runs(Engine& engine, std::vector<Work>& works);

/// Composes the runs with the schedules of the other layers, in the file's order. In a worker.
CompositionFront compose_runs(const Work& work, CompositionOptions options);

/// What may still be better than `reached` among plans with runs, once they have addresses. In a worker.
NearPlans runs_near(const Engine& engine, const Work& work, const std::vector<std::vector<std::int64_t>>& reached);

/// Where the bound on plans with runs lies below `reached` (by case, point and objective): the plans that may lie
/// between and are none of `texts` (assignments of what was measured or beaten) join work.phased, to be measured.
/// @returns the cases of which these are all: when they are measured, the bound is what was reached.
std::vector<std::size_t> close_runs(Engine& engine, std::vector<Work>& works,
                                    const std::vector<std::vector<std::string>>& texts,
                                    const std::vector<std::vector<std::vector<std::int64_t>>>& reached);

/// Adds to work.phased: plans by phases made over plain plans and over work.bases, composed ones (work.by_runs) and,
/// where there are any, ones over a few composed without phases. What a sweep's `choices:` rule out is left out.
void plan_phases(const Engine& engine, Work& work);

/// Plans that are given stand on fronts even where they break a fixed choice; then the front says so. Where a whole
/// search leaves nothing but plans by rule that all do, they answer another question than was asked: no point is left.
void judge_fixed_choices(const Engine& engine, const Work& work, Front& front);

/// Instead of the stages, for devices with an NPU: the front of its schedules, each as a whole plan in full.
void search_npu(Engine& engine, std::vector<Work>& works);

/// Instead of the stages: every candidate of the space through the full pipeline, in chunks, and the front of them all.
void search_exhaustively(Engine& engine, std::vector<Work>& works);

/// Composes every case: plans of simulated schedules and, where that is not all, a bound on what else there may be,
/// with runs by phases too if this is the `last` time. @returns false when interrupted.
bool compose_all(Engine& engine, std::vector<Work>& works, bool last);

/// Stages 2 and 3 with what stage 1 knows by now: composes, simulates whole plans, selects the front and simulates it
/// in full. `last`: nothing more will come. Leaves works[].front as it was when interrupted.
void settle(Engine& engine, std::vector<Work>& works, bool last);

/// Where plans need more than their loads once their buffers have addresses, other plans may now be better: looks for
/// them. `texts`: assignment texts of the composed points, per case. @returns whether there are any; they join the
/// composed ones.
bool close_gaps(Engine& engine, std::vector<Work>& works, const std::vector<std::vector<std::string>>& texts);

/// What was decided for searched plans, by plan id.
using DecisionsById = std::map<std::string, plan::Decisions>;
/// Makes the front of a case, whose points are not in full yet, without what was left out by then.
using MakeFront = std::function<Front(std::size_t work, DecisionsById& choices)>;

/// Fronts with all points in full: accounts, traces and real bytes. A point whose bytes are wrong is left out, and the
/// front made again without it. They become works[].front. @returns false when interrupted: then none does.
bool report_fronts(Engine& engine, std::vector<Work>& works, const MakeFront& make);

/// The front of a case as far as it is measured. `texts`: assignment texts of its plans, the composed ones, then those
/// by phases. `last`: nothing more will come.
Front front_of(Engine& engine, Work& work, const std::vector<std::string>& texts, bool last, DecisionsById& choices);
/// Whole plans to simulate: the composed ones, then those by phases.
inline std::size_t plan_count(const Work& work) { return work.composed.points.size() + work.phased.size(); }
plan::Decisions decisions_at(const Work& work, std::size_t plan);
/// What a composed point decides.
plan::Decisions decisions_of(const Work& work, const Composition& point);
/// What the points that keep all limits reach in each objective: bytes, ticks, femtojoules.
std::vector<std::vector<std::int64_t>> reached_by(const std::vector<Point>& points, const Goal& goal,
                                                  const hw::Device& device);

}  // namespace dse::explore
