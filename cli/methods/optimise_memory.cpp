// dse optimise-memory: a TensorFlow Lite file whose arena is planned for TensorFlow Lite Micro, without a device.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/common/output.h"
#include "cli/methods/tflm_file.h"
#include "reports/words/format.h"

namespace dse::cli {
namespace {

using reports::grouped;

struct OptimiseOptions {
  std::string network, out, rule = plan::name_of(plan::OrderRule::inplace_ew);
  bool json = false;
};

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
  const auto rule = o.rule == plan::name_of(plan::OrderRule::inplace_ew) ? plan::OrderRule::inplace_ew
                                                                         : plan::OrderRule::out_of_place;
  const auto file = write_tflm_file(o.network, o.out, rule, d);
  if (const int code = report(d); !file || code) return code ? code : Exit::bad_input;
  tell(o, file->network, file->head, file->moved, file->not_compared);
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
