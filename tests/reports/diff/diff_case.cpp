#include "tests/reports/diff/diff_case.h"

#include <stdexcept>

#include "explore/front/front.h"
#include "explore/measure/point.h"
#include "plan/make/make_plan.h"
#include "reports/run/json.h"

namespace dse::reports::testing {

plan::Plan random_plan(test::Random& random, const explore::Case& c) {
  for (int i = 0; i < 50; ++i) {
    auto made = plan::make_plan(*c.network, *c.device, test::random_choices(random, *c.network, *c.device, i % 2 == 0));
    if (auto* plan = std::get_if<plan::Plan>(&made)) return std::move(*plan);
  }
  throw std::runtime_error("no random plan fits");
}

Written measure(const std::string& label, const explore::Case& c, const plan::Plan& plan) {
  explore::Sweep sweep;
  sweep.fronts.emplace_back();
  explore::describe_front(c, sweep.fronts[0]);
  sweep.fronts[0].points.push_back(explore::simulate_point(c, plan, true, false));
  if (!sweep.fronts[0].points[0].verified) throw std::runtime_error("computes other bytes than the interpreter");
  auto front = results_json(sweep).at("fronts").at(0);
  auto point = front.at("points").at(0);
  return {label, std::move(front), std::move(point)};
}

Written by_hand(const std::string& label) {
  const char* const front = R"({"network": "net", "network_hash": "n1", "device": "dev", "device_hash": "d1",
    "kernel_library": "lib", "accuracy": "not validated", "clock_hz": 100000000, "energy_source": "measured",
    "memories": [{"name": "l1", "size_bytes": 65536, "reserved_bytes": 0, "on_chip": true},
                 {"name": "l3", "size_bytes": 1048576, "reserved_bytes": 0, "on_chip": false}]})";
  const char* const point = R"({"id": "aaaaaaaa", "origin": "front", "marks": ["knee"], "memory_bytes": 1100,
    "load_bytes": 1024, "energy_uj": 0.0009, "bound_cycles": 900, "verified": true, "plan": "plans/aaaaaaaa.yaml", "plan_in_words": [],
    "latency_cycles": 1000, "latency_us": 10.0, "energy_fj": 900000, "program_bytes": 300, "startup_bytes": 0,
    "tasks": 12, "macs": 500, "metrics": {"accuracy_loss": 1.5, "latency": 1000.0},
    "assignment": {"conv0.scheme": "interleaved", "conv0.tile": "4", "fc.scheme": "interleaved"},
    "account": [
      {"layer": "conv0", "cycles": 700, "causes": {"compute": 600, "dma_input": 100}, "hidden_dma_cycles": 5, "macs": 400,
       "energy_fj": 600000, "memories": {"l1": {"read_bytes": 800, "written_bytes": 200}, "l3": {"read_bytes": 64, "written_bytes": 0}}},
      {"layer": "fc", "cycles": 300, "causes": {"compute": 250, "wait": 50}, "hidden_dma_cycles": 0, "macs": 100,
       "energy_fj": 300000, "memories": {"l1": {"read_bytes": 100, "written_bytes": 10}, "l3": {"read_bytes": 32, "written_bytes": 0}}}],
    "memories": [
      {"memory": "l1", "arena_bytes": 1100, "load_bytes": 1024, "constants_bytes": 0, "read_bytes": 900, "written_bytes": 210, "energy_fj": 100000},
      {"memory": "l3", "arena_bytes": 96, "load_bytes": 96, "constants_bytes": 96, "read_bytes": 96, "written_bytes": 0, "energy_fj": 300000}],
    "buffers": [
      {"name": "t0", "tensor": "input 0", "role": "tensor", "memory": "l1", "offset": 0, "size": 512, "from_cycle": 0, "to_cycle": 0, "first_layer": 0, "last_layer": 0, "counted_bytes": 512},
      {"name": "t1", "tensor": "output of conv0", "role": "tensor", "memory": "l1", "offset": 512, "size": 256, "from_cycle": 0, "to_cycle": 0, "first_layer": 0, "last_layer": 1, "counted_bytes": 256},
      {"name": "conv0.weights", "tensor": "", "role": "weights", "memory": "l1", "offset": 768, "size": 256, "from_cycle": 0, "to_cycle": 0, "first_layer": 0, "last_layer": 0, "counted_bytes": 256},
      {"name": "fc.weights", "tensor": "", "role": "weights", "memory": "l1", "offset": 768, "size": 64, "from_cycle": 0, "to_cycle": 0, "first_layer": 1, "last_layer": 1, "counted_bytes": 64}]})";
  return {label, nlohmann::json::parse(front), nlohmann::json::parse(point)};
}

}  // namespace dse::reports::testing
