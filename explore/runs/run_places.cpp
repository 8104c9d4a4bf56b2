#include "explore/runs/run_places.h"

#include <algorithm>
#include <set>

#include "explore/question/allowed.h"
#include "plan/choices/choice.h"
#include "plan/choices/homes.h"
#include "plan/network/layers.h"
#include "plan/place/contexts.h"
#include "plan/rules/phased_front.h"

namespace dse::explore {
namespace {

/// Combinations of homes that are tried for one run: a run that joins many tensors would have very many.
constexpr std::size_t kMostHomes = 32, kFewestHomes = 4;
/// Layers of a network up to which so many are tried. A run is timed in a plan of the whole network, which takes as
/// long as the square of its layers.
constexpr std::size_t kUsualLayers = 80;

std::size_t most_homes(std::size_t layers) {
  const auto longer = std::max(layers, kUsualLayers);
  return std::max(kFewestHomes, kMostHomes * kUsualLayers * kUsualLayers / (longer * longer));
}
/// Ways to place what a run has of its own, over all homes, and at least at each.
constexpr std::size_t kMostWays = 128, kFewestWays = 32;

}  // namespace

RunPlaces::RunPlaces(const Case& c, const SweepSpec& spec, const Space& space)
    : network_(*c.network), device_(*c.device), spec_(spec), space_(space) {}

bool RunPlaces::contains(const Run& run, int op) const {
  const auto begin = space_.layers.begin();
  return std::find(begin + run.first, begin + run.last + 1, op) != begin + run.last + 1;
}

Run RunPlaces::open_run(int first, int last) const {
  Run run;
  run.first = first, run.last = last;
  std::set<int> from, to;
  for (int k = run.first; k <= run.last; ++k) {
    const auto& op = network_.operators[space_.layers[k]];
    for (const int t : plan::activations(network_, op)) {
      const int root = space_.root[t], maker = network_.producer(root);
      if (maker < 0 || !contains(run, maker)) from.insert(root);
    }
    for (const int t : op.outputs) {
      const int root = space_.root[t];
      if (space_.homes[root].empty()) continue;  // a variable, which is always alive
      const auto& readers = space_.readers[root];
      const bool wanted =
          std::any_of(readers.begin(), readers.end(), [&](int reader) { return !contains(run, reader); });
      if (wanted || space_.stays[root]) to.insert(root);
    }
  }
  for (const int t : from) run.from.push_back({t, 0});
  for (const int t : to) run.to.push_back({t, 0});
  return run;
}

Homes RunPlaces::homes_of(const Run& run) const {
  const auto& engine = device_.engines[device_.compute_engine()];
  const auto most = most_homes(space_.layers.size());
  Homes out{{{}}, true};
  auto tensors = run.from;
  tensors.insert(tensors.end(), run.to.begin(), run.to.end());
  for (std::size_t k = 0; k < tensors.size(); ++k) {
    const int t = tensors[k].first, maker = network_.producer(t);
    const bool inside = k >= run.from.size() && maker != space_.layers[run.last];
    std::vector<std::vector<std::pair<int, int>>> longer;
    for (int h = 0; h < static_cast<int>(space_.homes[t].size()); ++h) {
      const auto& home = space_.homes[t][h];
      if (home.layout != plan::TensorLayout::hwc || (inside && !engine.reaches(home.memory))) continue;
      for (auto homes : out.list) {
        homes.push_back({t, h});
        longer.push_back(std::move(homes));
      }
    }
    out.list = std::move(longer);
    if (out.list.size() > most) out.list.resize(most), out.all = false;
  }
  return out;
}

/// Where rows may lie that nobody outside wants.
std::vector<int> RunPlaces::memories_inside() const {
  const auto& engine = device_.engines[device_.compute_engine()];
  std::vector<int> out;
  for (const int m : plan::home_memories(device_))
    if (engine.reaches(m)) out.push_back(m);
  if (out.empty()) out.push_back(engine.memories.front());
  return out;
}

std::vector<int> RunPlaces::memories_of_filters(int op) const {
  const auto& registry = plan::ChoiceRegistry::standard();
  const auto* choice = registry.find("weights");
  const auto plain = plan::plain_choices(network_, device_, device_.io);
  const auto offered =
      choice->domain(plan::context_of(network_, device_, plain, op, space_.whole.alias_reshapes), plain[op]);
  const auto allowed = Allowed::searched(spec_.choices, network_.operators[op].name);
  std::vector<int> out;
  for (const int value : offered)
    if (allowed.allows(*choice, device_, value, offered.size())) out.push_back(value);
  if (out.empty()) out.push_back(plan::kStreamed);
  return out;
}

Ways RunPlaces::ways_of(const Run& run, std::size_t homes) const {
  std::vector<std::vector<int>> digits;
  const auto inside = memories_inside();
  for (int k = run.first; k <= run.last; ++k) {
    const auto& outputs = network_.operators[space_.layers[k]].outputs;
    const bool own = std::none_of(outputs.begin(), outputs.end(), [&](int t) {
      return std::any_of(run.to.begin(), run.to.end(), [&](const auto& to) { return to.first == space_.root[t]; });
    });
    digits.push_back(own ? inside : std::vector<int>{inside.front()});
  }
  const auto layers = digits.size();
  for (int k = run.first; k <= run.last; ++k) digits.push_back(memories_of_filters(space_.layers[k]));
  return explore::ways_of(digits, layers, std::max(kFewestWays, kMostWays / std::max<std::size_t>(1, homes)));
}

}  // namespace dse::explore
