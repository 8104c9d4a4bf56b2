#include "explore/explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "explore/bound.h"
#include "explore/front.h"
#include "explore/layer_search.h"
#include "explore/pool.h"
#include "explore/study.h"
#include "explore/transport.h"
#include "plan/rules.h"

namespace dse::explore {
namespace {

using Clock = std::chrono::steady_clock;

/// Everything about one case between the stages.
struct Work {
  const Case* c = nullptr;
  std::unique_ptr<Space> space;
  std::vector<std::int64_t> limits;  // per memory
  std::vector<LayerFront> layers;    // per task of the space
  CompositionFront composed;
  std::vector<plan::Plan> candidates;  // whole plans to simulate
  bool tight = true;                   // every composed plan kept its memory when its buffers got addresses
  Front front;
};

std::vector<std::int64_t> limits_of(const Case& c, const SweepSpec& spec) {
  std::vector<std::int64_t> limits;
  for (const auto& m : c.device->memories) {
    std::int64_t limit = m.free();
    for (const auto& k : spec.constraints)
      if (k.metric == "memories." + m.name + ".peak") limit = std::min(limit, static_cast<std::int64_t>(k.limit));
    limits.push_back(limit);
  }
  return limits;
}

/// Everything that a layer's result depends on. `budget`: of this layer.
std::string study_key(const Case& c, const std::string& place, const SweepSpec& spec, std::int64_t budget) {
  std::string key = c.device->hash() + "/" + place + "/" + std::to_string(budget);
  for (const auto& [name, values] : spec.choices)
    for (const auto& v : values) key += "/" + name + "=" + v;
  return key;
}

/// Progress over all cases, told at most ten times a second.
class Teller {
 public:
  Teller(const ExploreOptions& options, std::int64_t total) : options_(options), total_(total), start_(Clock::now()) {}
  void step(const std::string& what, std::int64_t simulated, std::int64_t discarded, int front) {
    ++done_;
    simulated_ += simulated, discarded_ += discarded, front_ = front;
    if (!options_.progress) return;
    const auto now = Clock::now();
    if (now - told_ < std::chrono::milliseconds(100) && done_ < total_) return;
    told_ = now;
    const double seconds = std::chrono::duration<double>(now - start_).count();
    Progress p;
    p.what = what, p.done = done_, p.total = total_, p.simulated = simulated_, p.discarded = discarded_,
    p.front = front_, p.seconds = seconds;
    p.eta_seconds = done_ ? seconds * static_cast<double>(total_ - done_) / static_cast<double>(done_) : -1;
    options_.progress(p);
  }
  void more(std::int64_t n) { total_ += n; }

 private:
  const ExploreOptions& options_;
  std::int64_t done_ = 0, total_ = 0, simulated_ = 0, discarded_ = 0;
  int front_ = 0;
  Clock::time_point start_, told_;
};

bool interrupted(const ExploreOptions& o) { return o.interrupted && o.interrupted->load(); }

PoolOptions pool_options(const ExploreOptions& o, WhenInterrupted when = WhenInterrupted::finish) {
  PoolOptions pool;
  pool.jobs = o.jobs, pool.interrupted = o.interrupted, pool.when = when;
  return pool;
}

PoolEvents told(std::function<void(std::int64_t, const std::string&)> done) {
  PoolEvents events;
  events.on_done = std::move(done);
  return events;
}

/// Stage 1: every distinct layer search of every case, those in the study left out.
void search_layers(std::vector<Work>& works, const SweepSpec& spec, const plan::ChoiceRegistry& registry,
                   const ExploreOptions& options, Teller& teller) {
  struct Item {
    int work, task;
    std::string key;
  };
  std::vector<Item> items;
  std::unique_ptr<Study> study;
  if (!options.out.empty()) study = std::make_unique<Study>(options.out + "/study.sqlite");
  // The budget of a case is shared out evenly over its layers, so that the result depends neither on who comes first
  // nor on other cases.
  std::vector<LayerBudget> budgets(works.size());
  const auto start = Clock::now();
  for (std::size_t w = 0; w < works.size(); ++w) {
    const auto tasks = std::max<std::int64_t>(1, static_cast<std::int64_t>(works[w].space->tasks.size()));
    if (spec.simulations > 0) budgets[w].simulations = std::max<std::int64_t>(1, spec.simulations / tasks);
    // Composing and simulating whole plans needs time as well: the layers may take two thirds.
    if (spec.seconds > 0)
      budgets[w].deadline = start + std::chrono::microseconds(static_cast<std::int64_t>(spec.seconds * 2e6 / 3));
  }
  for (std::size_t w = 0; w < works.size(); ++w) {
    works[w].layers.resize(works[w].space->tasks.size());
    for (std::size_t t = 0; t < works[w].layers.size(); ++t) {
      const auto key =
          study_key(*works[w].c, works[w].space->key_of(static_cast<int>(t)), spec, budgets[w].simulations);
      if (study)
        if (auto known = study->find(key)) {
          works[w].layers[t] = layer_front_from(*known);
          continue;
        }
      items.push_back({static_cast<int>(w), static_cast<int>(t), key});
    }
  }
  teller.more(static_cast<std::int64_t>(items.size()));
  const auto results = fork_map(
      static_cast<std::int64_t>(items.size()), pool_options(options),
      [&](std::int64_t i, Post&) {
        return to_bytes(search_layer(works[items[i].work].space->tasks[items[i].task], registry, {},
                                     budgets[items[i].work]));
      },
      told([&](std::int64_t i, const std::string& bytes) {
        auto& layer = works[items[i].work].layers[items[i].task];
        layer = layer_front_from(bytes);
        if (study && layer.skipped == 0) study->put(items[i].key, bytes);  // an unfinished search is not remembered
        const auto& c = *works[items[i].work].c;
        teller.step(c.network->name + " on " + c.device_label, layer.simulated, layer.discarded, 0);
      }));
}

/// Stage 2: compose each case.
void compose_cases(std::vector<Work>& works, const ExploreOptions& options, Teller& teller) {
  teller.more(static_cast<std::int64_t>(works.size()));
  fork_map(
      static_cast<std::int64_t>(works.size()),
      pool_options(options, WhenInterrupted::abandon),  // nothing half composed is of use, and it may take long
      [&](std::int64_t w, Post&) {
        return to_bytes(compose(*works[w].space, works[w].layers, works[w].limits, nullptr));
      },
      told([&](std::int64_t w, const std::string& bytes) {
        works[w].composed = composition_from(bytes);
        teller.step(works[w].c->network->name + " on " + works[w].c->device_label, 0, 0,
                    static_cast<int>(works[w].composed.points.size()));
      }));
}

void add_rule(Work& work, std::variant<plan::Plan, plan::Infeasible> made, const char* what) {
  if (auto* plan = std::get_if<plan::Plan>(&made))
    work.candidates.push_back(std::move(*plan));
  else
    work.front.notes.push_back(fmt::format("{}: {}", what, std::get<plan::Infeasible>(made).what));
}

/// The plans of a case that are run as a whole: the composed front, the rules, the user's own.
void collect_candidates(Work& work, const SweepSpec& spec, Diagnostics& diags) {
  const auto& c = *work.c;
  for (const auto& found : work.composed.points) {
    auto made = plan::make_plan(*c.network, *c.device, found.choices);
    if (auto* plan = std::get_if<plan::Plan>(&made))
      work.candidates.push_back(std::move(*plan));
    else
      work.tight = false, work.front.notes.push_back("a composed plan does not fit once its buffers have addresses: " +
                                                     std::get<plan::Infeasible>(made).what);
  }
  add_rule(work, plan::rule_based_plan(*c.network, *c.device, false), "rule-based");
  add_rule(work, plan::rule_based_plan(*c.network, *c.device, true), "rule-based (resident weights)");
  add_rule(work, plan::tflm_plan(*c.network, *c.device), "TFLM today");
  for (const auto& file : spec.plans) {
    Diagnostics own;
    if (auto plan = plan::read_plan(file, *c.network, *c.device, own)) {
      plan->origin = "user";
      work.candidates.push_back(std::move(*plan));
    } else if (works_only_elsewhere(own)) {
      work.front.notes.push_back(file + " belongs to another network or device");
    } else {
      for (const auto& d : own.list()) diags.add(d);
    }
  }
}

void write_file(const std::string& path, const std::string& text) {
  const std::string partial = path + ".partial";
  {
    std::ofstream out(partial, std::ios::binary);
    out << text;
    if (!out.flush()) throw std::runtime_error("cannot write " + partial);
  }
  std::filesystem::rename(partial, path);
}

void write_plans(const Work& work, std::vector<Point*> points, const ExploreOptions& options) {
  if (options.out.empty()) return;
  std::filesystem::create_directories(options.out + "/plans");
  for (Point* p : points)
    for (const auto& candidate : work.candidates)
      if (candidate.id() == p->id && candidate.origin == plan_origin(*p)) {
        p->plan_file = "plans/" + p->id + ".yaml";
        write_file(options.out + "/" + p->plan_file, plan::write_plan(candidate, *work.c->network, *work.c->device));
        break;
      }
}

/// Stage 3: whole plans, first for time alone, then those that are reported with bytes, accounts and trace.
void simulate_plans(std::vector<Work>& works, const SweepSpec& spec, const ExploreOptions& options, Teller& teller,
                    Diagnostics& diags) {
  struct Item {
    int work, candidate;
  };
  std::vector<Item> items;
  for (std::size_t w = 0; w < works.size(); ++w)
    for (std::size_t k = 0; k < works[w].candidates.size(); ++k)
      items.push_back({static_cast<int>(w), static_cast<int>(k)});
  teller.more(static_cast<std::int64_t>(items.size()));
  const auto timed = fork_map(
      static_cast<std::int64_t>(items.size()), pool_options(options),
      [&](std::int64_t i, Post&) {
        return to_bytes(
            simulate_point(*works[items[i].work].c, works[items[i].work].candidates[items[i].candidate], false, false));
      },
      told([&](std::int64_t i, const std::string&) {
        teller.step(works[items[i].work].c->network->name + " on " + works[items[i].work].c->device_label, 1, 0, 0);
      }));
  std::vector<std::vector<Point>> points(works.size());
  for (std::size_t i = 0; i < items.size(); ++i)
    if (timed[i]) points[items[i].work].push_back(point_from(*timed[i]));
  for (std::size_t w = 0; w < works.size(); ++w) {
    for (const auto& p : points[w]) works[w].tight &= p.origin != "explored" || p.memory_bytes == p.load_bytes;
    select_front(points[w], spec, works[w].front);
  }
  // The selected ones again, in full.
  struct Full {
    Front* front;
    Point* point;
    const plan::Plan* plan;
    const Case* c;
  };
  std::vector<Full> full;
  for (auto& work : works)
    for (auto* list : {&work.front.points, &work.front.marked})
      for (auto& point : *list)
        for (const auto& candidate : work.candidates)
          if (candidate.id() == point.id && candidate.origin == plan_origin(point)) {
            full.push_back({&work.front, &point, &candidate, work.c});
            break;
          }
  teller.more(static_cast<std::int64_t>(full.size()));
  const auto results = fork_map(
      static_cast<std::int64_t>(full.size()), pool_options(options),
      [&](std::int64_t i, Post&) { return to_bytes(simulate_point(*full[i].c, *full[i].plan, options.verify, true)); },
      told([&](std::int64_t i, const std::string&) {
        teller.step(full[i].c->network->name + " on " + full[i].c->device_label, 1, 0,
                    static_cast<int>(full[i].front->points.size()));
      }));
  for (std::size_t i = 0; i < full.size(); ++i) {
    if (!results[i]) continue;
    auto marks = full[i].point->marks;
    const auto origin = full[i].point->origin;
    *full[i].point = point_from(*results[i]);
    full[i].point->marks = std::move(marks);
    full[i].point->origin = origin;
    if (options.verify && !full[i].point->verified)
      diags.error({}, fmt::format("verification mismatch: plan {} of {} on {} {}", full[i].point->id,
                                  full[i].c->network->name, full[i].c->device_label,
                                  full[i].point->run.failure ? "fails: " + full[i].point->run.failure->what
                                                             : "computes other bytes than the interpreter"));
  }
}

}  // namespace

namespace {

/// Names that only a device can confirm, and objectives that are declared but not searched yet.
bool understood(const SweepSpec& spec, const std::vector<Case>& cases, Diagnostics& diags) {
  for (const auto& o : spec.objectives)
    if (o != "memory" && o != "latency")
      diags.error({spec.file, 0, 0}, "objective " + o + " is measured but not searched yet",
                  "use it as a constraint, or read its column in front.csv");
  for (const auto& k : spec.constraints) {
    if (!k.metric.starts_with("memories.")) continue;
    for (const auto& c : cases) {
      const auto name = k.metric.substr(9, k.metric.rfind('.') - 9);
      if (c.device->memory(name) < 0) {
        diags.error(k.where, "constraint " + k.metric + ": " + c.device_label + " has no memory " + name);
        break;
      }
    }
  }
  return !diags.has_errors();
}

}  // namespace

Sweep explore(const SweepSpec& spec, const std::vector<Case>& cases, const ExploreOptions& options,
              Diagnostics& diags) {
  if (!understood(spec, cases, diags)) return {};
  const auto registry = plan::ChoiceRegistry::standard();
  Sweep sweep;
  sweep.provenance.seed = spec.seed;
  const auto start = Clock::now();
  if (!options.out.empty()) std::filesystem::create_directories(options.out);
  std::vector<Work> works(cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    works[i].c = &cases[i];
    works[i].space = std::make_unique<Space>(*cases[i].network, *cases[i].device, spec);
    works[i].limits = limits_of(cases[i], spec);
    describe_front(cases[i], works[i].front);
  }
  Teller teller(options, 0);
  search_layers(works, spec, registry, options, teller);
  if (!interrupted(options)) compose_cases(works, options, teller);
  for (auto& work : works)
    if (!interrupted(options)) collect_candidates(work, spec, diags);
  if (!interrupted(options)) simulate_plans(works, spec, options, teller, diags);
  for (auto& work : works) {
    auto& front = work.front;
    std::int64_t skipped = 0;
    for (const auto& layer : work.layers) {
      front.simulated += layer.simulated;
      front.proven_dominated += layer.discarded;
      front.infeasible += layer.infeasible;
      skipped += layer.skipped;
    }
    front.simulated += static_cast<std::int64_t>(work.candidates.size());
    front.complete = !interrupted(options) && skipped == 0 && work.composed.exact && work.tight;
    if (skipped > 0)
      front.notes.push_back(fmt::format(
          "{} layer schedules were not simulated: the budget of {} was used up{}", skipped,
          spec.seconds > 0 ? fmt::format("{} s", spec.seconds) : fmt::format("{} simulations", spec.simulations),
          spec.seconds > 0 ? "; another run may find another front" : ""));
    if (interrupted(options)) front.notes.push_back("interrupted: run the same command again to go on");
    if (front.points.empty() && interrupted(options))
      front.infeasible_reason = "interrupted before any plan was simulated";
    if (front.points.empty() && front.infeasible_reason.empty())
      front.infeasible_reason = work.composed.infeasible_reason;
    judge_accuracy(*work.c, front);
    for (const auto& p : work.composed.points) front.bound.push_back({p.memory, p.ticks});
    for (const auto& b : work.composed.beaten) front.dominated.push_back({b.memory, b.ticks});
    std::vector<Point*> points;
    for (auto& p : front.points) points.push_back(&p);
    for (auto& p : front.marked) points.push_back(&p);
    write_plans(work, points, options);
    sweep.fronts.push_back(std::move(front));
  }
  sweep.provenance.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return sweep;
}

}  // namespace dse::explore
