#include "plan/rules/stage_in_sets.h"

#include "plan/make/make_plan.h"
#include "plan/network/layers.h"
#include "plan/place/contexts.h"

namespace dse::plan {
namespace {

/// The operator whose filters take most of this memory on their way and could come set by set; -1 = none.
int largest_staged(const std::vector<int>& layers, const std::vector<LayerGeometry>& geometry, int memory) {
  int largest = -1;
  std::int64_t most = 0;
  for (const int op : layers) {
    const auto& g = geometry[static_cast<std::size_t>(op)];
    const bool whole = g.stage_memory == memory && g.staging == Staging::whole && g.form == WeightForm::filter_major;
    const auto* stage = g.find("stage");
    if (!whole || g.sets < 2 || g.order != Order::filters_outer || !stage || stage->size <= most) continue;
    largest = op, most = stage->size;
  }
  return largest;
}

}  // namespace

std::variant<Plan, Infeasible> make_plan_in_sets(const nn::Network& network, const hw::Device& device,
                                                 std::vector<LayerChoice> choices, const NetworkChoice& whole) {
  const auto layers = layers_of(network, whole.alias_reshapes);
  for (;;) {
    auto plan = make_plan(network, device, choices, whole);
    const auto* bad = std::get_if<Infeasible>(&plan);
    if (!bad || bad->memory < 0 || bad->shortfall <= 0) return plan;
    const auto geometry = geometries(network, device, choices, whole.alias_reshapes);
    const int op = largest_staged(layers, geometry, bad->memory);
    if (op < 0) return plan;
    choices[static_cast<std::size_t>(op)].staging = Staging::sets;
    choices[static_cast<std::size_t>(op)].prefetch = false;
  }
}

}  // namespace dse::plan
