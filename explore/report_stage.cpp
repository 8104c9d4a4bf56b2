// The points of fronts in full: accounts, traces, real bytes.
#include "explore/transport.h"
#include "explore/work.h"

namespace dse::explore {
namespace {

/// The selected points with accounts, traces and real bytes. @returns false when interrupted.
bool report_points(Engine& engine, std::vector<Work>& works, std::vector<Front>& fronts,
                   const std::vector<std::map<std::string, std::vector<plan::LayerChoice>>>& choices) {
  struct Item {
    int work;
    std::string id;
    const std::vector<plan::LayerChoice>* choices;
  };
  std::vector<Item> items;
  for (std::size_t w = 0; w < works.size(); ++w)
    for (const auto& p : fronts[w].points)
      if (const auto it = choices[w].find(p.id); it != choices[w].end() && works[w].reported.count(p.id) == 0)
        items.push_back({static_cast<int>(w), p.id, &it->second});
  engine.teller.expect(kPlanWeight * static_cast<double>(items.size()));
  PoolEvents events;
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
  events.on_lost = retry;
  fork_map(
      static_cast<std::int64_t>(items.size()), engine.pool(),
      [&](std::int64_t i, Post& post) {
        const auto& item = items[static_cast<std::size_t>(i)];
        const auto& c = *works[static_cast<std::size_t>(item.work)].c;
        post.mark(0);
        const auto plan = std::get<plan::Plan>(plan::make_plan(*c.network, *c.device, *item.choices, c.whole));
        ByteWriter out;
        out << to_bytes(simulate_point(c, plan, engine.options.verify, true))
            << plan::write_plan(plan, *c.network, *c.device);
        return std::move(out.bytes);
      },
      events);
  return !engine.interrupted();
}

}  // namespace

bool report_fronts(Engine& engine, std::vector<Work>& works, std::vector<Front> fronts,
                   const std::vector<std::map<std::string, std::vector<plan::LayerChoice>>>& choices) {
  if (!report_points(engine, works, fronts, choices)) return false;
  for (std::size_t w = 0; w < works.size(); ++w) {
    auto& work = works[w];
    for (auto& p : fronts[w].points) {
      const auto it = work.reported.find(p.id);
      if (it == work.reported.end() || p.origin != "front") continue;  // given plans are in full already
      auto marks = std::move(p.marks);
      p = it->second;
      p.marks = std::move(marks), p.origin = "front";
    }
    work.front = std::move(fronts[w]);
    engine.teller.front(static_cast<int>(work.front.points.size()), work.front.gap);
  }
  return true;
}

}  // namespace dse::explore
