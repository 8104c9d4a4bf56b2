// dse optimise-memory: a TensorFlow Lite file whose arena is planned for TensorFlow Lite Micro, without a device.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/index.h"
#include "cli/command.h"
#include "cli/common/files.h"
#include "cli/common/output.h"
#include "methods/tflm/head.h"
#include "models/nn/network.h"
#include "models/nn/tflite/offline_plan.h"
#include "reports/words/format.h"

namespace dse::cli {
namespace {

using reports::grouped;

struct OptimiseOptions {
  std::string network, out, rule = plan::name_of(plan::OrderRule::inplace_ew);
  bool json = false;
};

std::vector<std::uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

/// Outputs of both files for a seeded input. @returns why they were not compared, "" where they are equal.
/// @throws InvariantError where they are not.
std::string compared(const OptimiseOptions& o) {
  Diagnostics d;
  const auto before = nn::load_network(o.network, d), after = nn::load_network(o.out, d);
  if (!before || !after || d.has_errors()) return d.list().empty() ? "it cannot be read" : d.list().front().what;
  for (const auto& op : before->operators)
    if (!op.unsupported.empty()) return op.name + ": " + op.unsupported;
  const auto inputs = nn::seeded_inputs(*before, 0);
  const auto a = nn::interpret(*before, inputs), b = nn::interpret(*after, inputs);
  for (std::size_t i = 0; i < before->outputs.size(); ++i)
    ensure(a[index(before->outputs[i])] == b[index(after->outputs[i])],
           "the file that was written computes other bytes");
  return "";
}

/// The plan as the written bytes have it: their own offsets and order. @throws InvariantError when it is none.
void validate_written(const std::vector<std::uint8_t>& bytes, const plan::TflmHead& head, const std::string& file) {
  Diagnostics d;
  const auto network = nn::read_tflm_graph(bytes, file, d);
  const auto offsets = nn::offline_plan_of(bytes);
  ensure(network && offsets && *offsets == head.offsets, "the file that is written has another plan: " + d.text());
  std::vector<int> order(network->operators.size());
  std::iota(order.begin(), order.end(), 0);
  const auto faults = plan::tflm_faults(*network, order, *offsets);
  ensure(faults.empty(), "the plan that is written is none: " + (faults.empty() ? "" : faults.front()));
}

std::string percent(std::int64_t now, std::int64_t before) {
  return before > 0 ? fmt::format("{:+.1f} %", 100.0 * static_cast<double>(now - before) / static_cast<double>(before))
                    : "";
}

void tell(const OptimiseOptions& o, const nn::Network& n, const plan::TflmHead& head, bool moved,
          const std::string& not_compared) {
  if (o.json) {
    nlohmann::ordered_json out;
    out["network"] = n.name;
    out["operators"] = n.operators.size();
    out["head_bytes_today"] = head.today;
    out["head_bytes"] = head.bytes;
    out["lower_bound_bytes"] = head.lower_bound;
    out["optimal"] = head.optimal();
    out["another_order"] = moved;
    out["tensors_in_place"] = head.shared;
    out["outputs_compared"] = not_compared.empty();
    return print_json(out);
  }
  fmt::print("{}: {} operators, {}\n", n.name, grouped(static_cast<std::int64_t>(n.operators.size())), o.rule);
  fmt::print("  TensorFlow Lite Micro's planner  {} bytes of the arena's head, in the order of the file\n",
             grouped(head.today));
  fmt::print("  planned                          {} bytes, {}, {}\n", grouped(head.bytes),
             percent(head.bytes, head.today),
             head.optimal() ? std::string("optimal: no order and no offsets need less")
                            : fmt::format("no order and no offsets need less than {}", grouped(head.lower_bound)));
  fmt::print("  operators {}; {} tensors lie in the bytes of another\n",
             moved ? "run in another order" : "run in the order of the file", head.shared);
  fmt::print("  {}\n", not_compared.empty() ? "outputs are the original's, by the interpreter"
                                            : "outputs were not compared: " + not_compared);
  fmt::print("{}: kTensorArenaSize is these bytes, the kernels' scratch and the runtime's tail\n", o.out);
}

int optimise(const OptimiseOptions& o) {
  Diagnostics d;
  const auto text = read_file(o.network, d);
  const auto bytes = text ? bytes_of(*text) : std::vector<std::uint8_t>{};
  const auto network = text ? nn::read_tflm_graph(bytes, o.network, d) : std::nullopt;
  if (const int code = report(d); !network || code) return code ? code : Exit::bad_input;
  const auto rule = o.rule == plan::name_of(plan::OrderRule::inplace_ew) ? plan::OrderRule::inplace_ew
                                                                         : plan::OrderRule::out_of_place;
  const auto head = plan::tflm_head(*network, rule);
  const auto written = nn::with_offline_plan(bytes, head.order, head.offsets);
  if (!written) {
    d.error({o.network, 0, 0}, "tables of the file lie in each other, so that no plan can be put into it");
    return report(d);
  }
  validate_written(*written, head, o.out);
  write_file(o.out, {reinterpret_cast<const char*>(written->data()), written->size()});
  tell(o, *network, head, !std::is_sorted(head.order.begin(), head.order.end()), compared(o));
  return Exit::ok;
}

}  // namespace

void add_optimise_memory(CLI::App& app, Invocation& invocation) {
  auto o = std::make_shared<OptimiseOptions>();
  auto* command =
      app.add_subcommand("optimise-memory", "Plan a TensorFlow Lite file's arena for TensorFlow Lite Micro");
  command->add_option("network", o->network, "TensorFlow Lite file")->required();
  command->add_option("--out,-o", o->out, "the same network with its plan")->required();
  command->add_option("--rule", o->rule, "may element-wise operators overwrite a dying input?")
      ->check(CLI::IsMember({plan::name_of(plan::OrderRule::out_of_place), plan::name_of(plan::OrderRule::inplace_ew)}))
      ->capture_default_str();
  command->add_flag("--json", o->json, "print JSON");
  command->callback([o, &invocation] { invocation.exit = optimise(*o); });
}

}  // namespace dse::cli
