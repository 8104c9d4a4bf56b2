#include "cli/methods/memory_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "cli/common/lookup.h"
#include "explore/measure/point.h"
#include "methods/memory/least.h"
#include "plan/make/make_plan.h"
#include "plan/plan.h"
#include "plan/rules/phased_front.h"
#include "plan/rules/rules.h"
#include "plan/segment/phased.h"

namespace dse::cli {
namespace {

/// Plans by phases that are timed: enough for the front's shape, few enough to be done in passing.
constexpr int kTimed = 48;
/// Of those on the front, so many are shown.
constexpr std::size_t kShown = 5;

struct Candidate {
  plan::Plan plan;
  std::int64_t bytes = 0, ticks = 0;  // on chip; latency
  bool failed = false;
};

/// `tiled`: layers that do not run by phases are tiled by rule.
MeasuredPlan measured(const explore::Case& c, const plan::Plan& plan, std::string name, bool tiled) {
  const auto& d = *c.device;
  MeasuredPlan m;
  m.name = std::move(name);
  const auto rows = plan::row_graph(*c.network, plan.alias_reshapes);
  int others = 0;
  for (const auto& s : plan::shared_segments(plan))
    if (s.first == s.last && s.rows == 0)
      ++others;
    else
      m.segments.push_back(describe(rows.graph, s));
  if (others > 0)
    m.segments.push_back(fmt::format("{} {} layer{} {}", m.segments.empty() ? "all" : "other", others,
                                     others == 1 ? "" : "s", tiled ? "tiled by rule" : "whole"));
  m.point = explore::simulate_point(c, plan, true, false);
  m.heights = plan.heights, m.constants = plan.constants_size;
  m.activations = m.point.memory_bytes - (d.memories[static_cast<std::size_t>(d.constants)].on_chip ? m.constants : 0);
  m.throughput = m.point.latency_us > 0 ? 1e6 / m.point.latency_us : 0;
  return m;
}

/// Those that no other beats in both, by ascending memory; and those that failed, wherever they lie.
std::vector<const Candidate*> front_of(const std::vector<Candidate>& all) {
  std::vector<const Candidate*> sorted, out;
  for (const auto& c : all) sorted.push_back(&c);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Candidate* a, const Candidate* b) {
    return a->bytes != b->bytes ? a->bytes < b->bytes : a->ticks < b->ticks;
  });
  const Candidate* fastest = nullptr;
  for (const auto* c : sorted)
    if (c->failed)
      out.push_back(c);
    else if (!fastest || c->ticks < fastest->ticks)
      out.push_back(fastest = c);
  return out;
}

/// Which of the front are shown: its ends, the least product, some between; failures always.
std::vector<std::pair<const Candidate*, std::string>> chosen(const std::vector<const Candidate*>& front) {
  if (front.empty()) return {};
  const auto product = [](const Candidate* c) { return static_cast<double>(c->bytes) * static_cast<double>(c->ticks); };
  std::size_t best = 0;
  for (std::size_t i = 1; i < front.size(); ++i)
    if (product(front[i]) < product(front[best])) best = i;
  const std::size_t last = front.size() - 1;
  std::set<std::size_t> shown{0, best, last};
  for (std::size_t i = 1; i + 1 < kShown && shown.size() < kShown; ++i) shown.insert(i * last / (kShown - 1));
  for (std::size_t i = 0; i <= last; ++i)
    if (front[i]->failed) shown.insert(i);
  std::vector<std::pair<const Candidate*, std::string>> out;
  for (const auto i : shown) {
    std::string name;
    const auto add = [&](bool is, const char* what) {
      if (is) name += (name.empty() ? "" : ", ") + std::string(what);
    };
    add(i == 0, "least memory"), add(i == best, "best product"), add(i == last, "fastest");
    out.emplace_back(front[i], name.empty() ? fmt::format("by phases {}", out.size()) : name);
  }
  return out;
}

/// Layer by layer, the fastest first: whole layers, or what is tiled by rule where those do not fit; none where neither
/// does, and then `out` says why.
std::vector<plan::Plan> layer_by_layer(const explore::Case& c, DeviceComparison& out) {
  const auto& n = *c.network;
  const auto& d = *c.device;
  auto whole = plan::make_plan(n, d, plan::plain_choices(n, d, d.io), c.whole);
  if (auto* fits = std::get_if<plan::Plan>(&whole)) return {std::move(*fits)};
  out.whole_layers_infeasible = std::get<plan::Infeasible>(whole).what;
  std::vector<plan::Plan> plans;
  std::vector<std::int64_t> ticks;
  for (const bool resident_weights : {false, true}) {
    auto tiled = plan::rule_based_plan(n, d, resident_weights, c.whole.input);
    if (auto* fits = std::get_if<plan::Plan>(&tiled)) {
      ticks.push_back(explore::simulate_point(c, *fits, false, false).latency_ticks);
      plans.push_back(std::move(*fits));
    } else {
      out.tiled_infeasible = std::get<plan::Infeasible>(tiled).what;
    }
  }
  if (plans.size() == 2 && ticks[1] < ticks[0]) std::swap(plans[0], plans[1]);
  if (!plans.empty()) out.tiled_infeasible.clear();
  return plans;
}

/// Plans by phases over one, those that fit and need less memory than `below`, timed.
void try_phases(const explore::Case& c, const std::vector<plan::shared::Segmentation>& points,
                const std::vector<plan::LayerChoice>& base, std::int64_t below, DeviceComparison& out,
                std::vector<Candidate>& tried) {
  const auto& n = *c.network;
  const auto& d = *c.device;
  for (const auto& point : points) {
    ++out.by_phases;
    auto made = plan::make_plan(n, d, plan::phased_choices(n, d, base, c.whole.alias_reshapes, point), c.whole);
    auto* p = std::get_if<plan::Plan>(&made);
    if (!p) {
      ++out.too_much;
      continue;
    }
    Candidate t{std::move(*p)};
    t.bytes = plan::on_chip_memory(d, t.plan.heights);
    if (t.bytes >= below) continue;  // saves nothing
    const auto timed = explore::simulate_point(c, t.plan, false, false);
    t.ticks = timed.latency_ticks, t.failed = timed.run.failure.has_value();
    tried.push_back(std::move(t));
  }
}

}  // namespace

std::optional<explore::Case> device_case(const std::string& network_file, const nn::NetworkPtr& network,
                                         const std::string& device_name, const std::vector<std::string>& set,
                                         plan::shared::Input input, Diagnostics& d) {
  const auto device = load_device(device_name, d, set);
  if (!network)
    d.error({network_file, 0, 0}, "layers without operators cannot run on a device",
            "--device takes a network: .tflite, .onnx, .dsenet or .yaml");
  for (std::size_t i = 0; network && i < network->operators.size(); ++i) {
    const auto& op = network->operators[i];
    if (op.evaluation == nn::Evaluation::kernel) continue;
    const bool floating = op.evaluation == nn::Evaluation::floating;
    d.error({network_file, 0, 0},
            fmt::format("operator {} ({}) {}; plans for a device are of integer networks, all of whose operators have "
                        "kernels",
                        op.name.empty() ? std::to_string(i) : op.name, nn::key_of(op.kind),
                        floating ? "computes in float32" : "has no kernel: " + op.unsupported),
            std::string(floating ? "dse quantize makes an integer network of it; " : "") +
                "--cut plans what can run and leaves the rest to the host; --cost OPERATOR=CYCLES plans one as a "
                "black box");
    break;
  }
  if (device && device->compute_engine() < 0)
    d.error({device_name, 0, 0}, "device " + device->name + " has no engine that computes");
  if (device && input == plan::shared::Input::streamed && device->input_from < 0)
    d.error({device_name, 0, 0},
            "inputs cannot be streamed in: device " + device->name + " has no memory that they come from",
            "it would name it in input_from; --input released and kept run on every device");
  if (d.has_errors()) return std::nullopt;
  explore::Case c{network, device, device->name};
  c.whole.input = input;
  return c;
}

DeviceComparison compare_on_device(const explore::Case& c) {
  DeviceComparison out;
  out.c = c;
  const auto bases = layer_by_layer(c, out);
  const bool tiled = !bases.empty() && !out.whole_layers_infeasible.empty();
  auto below = std::numeric_limits<std::int64_t>::max();
  if (!bases.empty()) {
    out.plans.push_back(measured(c, bases.front(), tiled ? "layer by layer, tiled" : "layer by layer", tiled));
    out.has_layer_by_layer = true;
    below = out.plans.front().point.memory_bytes;
  }
  std::vector<Candidate> tried;
  const auto points = plan::phased_points(*c.network, *c.device, c.whole, kTimed);
  for (const auto& base : bases) try_phases(c, points, base.choices, below, out, tried);
  if (bases.empty()) try_phases(c, points, plan::plain_choices(*c.network, *c.device, c.device->io), below, out, tried);
  for (const auto& [candidate, name] : chosen(front_of(tried)))
    out.plans.push_back(measured(c, candidate->plan, name, tiled));
  return out;
}

std::string first_mismatch(const DeviceComparison& comparison) {
  for (const auto& p : comparison.plans)
    if (!p.point.verified)
      return p.name + ": " +
             (p.point.run.failure ? p.point.run.failure->what
                                  : std::string("the simulated outputs differ from the interpreter's"));
  return {};
}

}  // namespace dse::cli
