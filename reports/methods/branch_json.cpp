#include "methods/branch/rules.h"
#include "reports/methods/branch_text.h"

namespace dse::reports {
namespace {

using namespace plan::branch;
using nlohmann::json;

class Writer {
 public:
  Writer(const Graph& graph, const Rules& rules) : g_(graph), rules_(rules) {}

  json candidate(const Candidate& c) const {
    json out = {{"peak_bytes", c.total}, {"order", json::array()}, {"steps", json::array()}};
    for (const auto& step : c.steps)
      for (int o : g_.nodes[static_cast<std::size_t>(step.node)].operators) out["order"].push_back(o);
    const bool named = rules_.model != Model::liveness;
    if (named) {
      out["operational_bytes"] = c.operational;
      out["scratch"] = json::array();
      for (const auto& buffer : c.scratch)
        out["scratch"].push_back({{"bytes", buffer.bytes}, {"values", names(buffer.values)}});
    }
    for (std::size_t i = 0; i < c.steps.size(); ++i) {
      const auto& step = c.steps[i];
      json one = {{"node", name(step.node)}, {"live_bytes", c.live[i]}};
      if (named) one["written_to"] = nullptr, one["scratch"] = nullptr;
      if (step.place == Place::scratch)
        one["written_to"] = "scratch";
      else if (step.place != Place::none)
        one["written_to"] = static_cast<int>(step.place);
      if (step.scratch >= 0) one["scratch"] = step.scratch;
      out["steps"].push_back(std::move(one));
    }
    return out;
  }

  json structure() const {
    const auto s = structure_of(g_);
    const auto points = [&](const std::vector<Structure::Point>& list) {
      json out = json::array();
      for (const auto& p : list) out.push_back({{"node", name(p.node)}, {"intermediate", p.intermediate}});
      return out;
    };
    json branches = json::array();
    for (const auto& b : s.branches)
      branches.push_back({{"from", name(b.from)},
                          {"nodes", names(b.nodes)},
                          {"to", b.to < 0 ? json() : json(name(b.to))},
                          {"edges_bytes", b.edges},
                          {"last_edge_bytes", b.last},
                          {"freed_bytes", b.freed()}});
    json parallel = json::array();
    for (const auto& p : parallel_branches(s))
      parallel.push_back({{"from", name(p.from)}, {"to", name(p.to)}, {"branches", p.order}, {"bytes", p.bytes}});
    return {{"branching_points", points(s.branching)},
            {"aggregations", points(s.aggregation)},
            {"branches", branches},
            {"run_whole", parallel}};
  }

 private:
  const std::string& name(int n) const { return g_.nodes[static_cast<std::size_t>(n)].name; }
  json names(const std::vector<int>& nodes) const {
    json out = json::array();
    for (int n : nodes) out.push_back(name(n));
    return out;
  }

  const Graph& g_;
  Rules rules_;
};

}  // namespace

nlohmann::json branch_json(const Graph& graph, const Rules& rules, const Listing& listing) {
  const Writer writer(graph, rules);
  json out = writer.candidate(listing.best.best);
  out["name"] = graph.name;
  out["model"] = name_of(rules.model);
  out["objective"] = name_of(rules.objective);
  out["interruption"] = rules.interrupt;
  out["shared_scratch"] = rules.share_scratch;
  out["cost_bytes"] = listing.best.best.cost(rules);
  out["lower_bound_bytes"] = listing.best.lower_bound;
  out["optimal"] = listing.best.optimal;
  out["limit_bytes"] = listing.limit < 0 ? json() : json(listing.limit);
  out["found_by"] = listing.best.origin;
  out["orders_compared"] = listing.orders;
  out["all_orders_compared"] = listing.all_orders;
  out["structure"] = writer.structure();
  if (rules.model == Model::liveness) {
    std::vector<int> order;
    for (const auto& step : listing.best.best.steps) order.push_back(step.node);
    out["edge_copies_peak_bytes"] = peak_of_edge_copies(graph, order);
    const auto arena = arena_of(graph, listing.best.best);
    json offsets = json::object();
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
      if (arena.offsets[i] >= 0) offsets[graph.nodes[i].name] = arena.offsets[i];
    out["arena"] = {{"bytes", arena.height}, {"optimal", arena.optimal}, {"offsets", offsets}};
  }
  out["candidates"] = json::array();
  for (const auto& listed : listing.candidates) {
    auto one = writer.candidate(listed.candidate);
    one["places_optimal"] = listed.exact;
    one["origin"] = listed.origin;
    out["candidates"].push_back(std::move(one));
  }
  return out;
}

}  // namespace dse::reports
