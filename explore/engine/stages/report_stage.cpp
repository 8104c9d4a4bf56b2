// The points of fronts in full: accounts, traces, real bytes.
#include <algorithm>

#include "base/log.h"
#include "explore/engine/quarantine.h"
#include "explore/engine/stages/in_full.h"
#include "explore/engine/work.h"
#include "explore/measure/point.h"
#include "explore/workers/transport.h"
#include "plan/choices/assignment.h"
#include "plan/document/document.h"
#include "plan/plan.h"

namespace dse::explore {
namespace {

const char* kind_of(const plan::Decisions& decided) {
  const bool phases = std::any_of(decided.layers.begin(), decided.layers.end(),
                                  [](const plan::LayerChoice& c) { return c.phases != plan::Phases::no; });
  return phases ? "plan by phases" : "composed plan";
}

/// A point in full, of this report or of the front before it; null: neither has it. What a long search finds on its way
/// is kept no longer: traces of large networks take megabytes each.
Point* in_full(Work& work, const std::string& id) {
  if (const auto it = work.reported.find(id); it != work.reported.end()) return &it->second;
  auto& before = work.front.points;
  const auto it = std::find_if(before.begin(), before.end(), [&](const Point& p) {
    return p.id == id && p.origin == "front" && !p.run.layers.empty();
  });
  return it == before.end() ? nullptr : &*it;
}

/// The selected points with accounts, traces and real bytes. What breaks down on the way is left out. @returns false
/// when interrupted.
bool report_points(Engine& engine, std::vector<Work>& works, const std::vector<Front>& fronts,
                   const std::vector<DecisionsById>& decided) {
  struct Item {
    int work;
    std::string id;
    const plan::Decisions* decided;
  };
  std::vector<Item> items;
  for (std::size_t w = 0; w < works.size(); ++w)
    for (const auto& p : fronts[w].points)
      if (const auto it = decided[w].find(p.id); it != decided[w].end() && !in_full(works[w], p.id))
        items.push_back({static_cast<int>(w), p.id, &it->second});
  engine.teller.stage("points in full");
  engine.teller.expect(kPlanWeight * static_cast<double>(items.size()));
  PoolEvents events;
  events.forget = true;
  events.on_done = [&](std::int64_t i, const std::string& bytes) {
    auto& work = works[static_cast<std::size_t>(items[static_cast<std::size_t>(i)].work)];
    ByteReader r(bytes);
    std::string point, document;
    r >> point >> document;
    auto p = point_from(point);
    work.documents[p.id] = document;
    work.reported[p.id] = std::move(p);
    engine.teller.done(work.name(), kPlanWeight);
  };
  events.on_lost = [&](const Lost& loss) {
    if (may_try_again(loss)) return AfterLoss::again;
    const auto& item = items[static_cast<std::size_t>(loss.item)];
    auto& work = works[static_cast<std::size_t>(item.work)];
    auto what = left_by(loss, kind_of(*item.decided), whole_text(*work.c, *item.decided, engine.registry));
    what.plan = item.id;
    leave_out(work, std::move(what));
    return AfterLoss::give_up;
  };
  fork_map(
      static_cast<std::int64_t>(items.size()), engine.pool(),
      [&](std::int64_t i, Post& post) {
        const auto& item = items[static_cast<std::size_t>(i)];
        const auto& c = *works[static_cast<std::size_t>(item.work)].c;
        post.mark(0);
        const auto plan = std::get<plan::Plan>(plan::plan_of(*c.network, *c.device, *item.decided));
        ByteWriter out;
        out << to_bytes(in_full(engine, c, plan)) << plan::write_plan(plan, *c.network, *c.device);
        return std::move(out.bytes);
      },
      events);
  return !engine.interrupted();
}

/// Leaves out what turned out to be wrong now that it ran with real bytes.
void leave_out_wrong(const Engine& engine, Work& work, const Front& front, const DecisionsById& decided) {
  for (const auto& p : front.points) {
    const auto chosen = decided.find(p.id);
    const auto it = work.reported.find(p.id);
    if (chosen == decided.end() || it == work.reported.end()) continue;
    const auto& full = it->second;
    if (!full.run.failure && (full.verified || !engine.options.verify)) continue;
    leave_out(work, {kind_of(chosen->second), p.id, whole_text(*work.c, chosen->second, engine.registry),
                     full.run.failure ? "failed" : "other bytes", full.run.failure ? full.run.failure->what : ""});
  }
}

}  // namespace

bool report_fronts(Engine& engine, std::vector<Work>& works, const MakeFront& make) {
  const LoggedStage logged("selecting fronts, and their points in full");
  std::vector<Front> fronts;
  std::vector<DecisionsById> decided(works.size());
  for (std::size_t w = 0; w < works.size(); ++w) fronts.push_back(make(w, decided[w]));
  for (bool again = true; again;) {
    std::vector<std::size_t> before;  // a plan whose worker was lost is left out while it is reported
    for (const auto& work : works) before.push_back(work.left_out.size());
    if (!report_points(engine, works, fronts, decided)) return false;
    again = false;
    for (std::size_t w = 0; w < works.size(); ++w) {
      leave_out_wrong(engine, works[w], fronts[w], decided[w]);
      if (works[w].left_out.size() == before[w]) continue;
      decided[w].clear();
      fronts[w] = make(w, decided[w]);
      again = true;
    }
  }
  for (std::size_t w = 0; w < works.size(); ++w) {
    auto& work = works[w];
    for (auto& p : fronts[w].points) {
      auto* full = p.origin == "front" ? in_full(work, p.id) : nullptr;
      if (!full) continue;  // given plans are in full already
      auto marks = std::move(p.marks);
      auto as_fast_as = std::move(p.as_fast_as);
      auto outside = std::move(p.outside);
      p = std::move(*full);
      p.marks = std::move(marks), p.outside = std::move(outside), p.origin = "front";
      p.as_fast_as = std::move(as_fast_as);
    }
    work.front = std::move(fronts[w]);
    work.reported.clear();
    engine.teller.front(static_cast<int>(work.front.points.size()), work.front.gap);
  }
  return true;
}

}  // namespace dse::explore
