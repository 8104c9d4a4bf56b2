#include "cli/methods/tflm_file.h"

#include <algorithm>
#include <numeric>

#include "base/characters.h"
#include "base/index.h"
#include "cli/common/files.h"
#include "models/nn/tflite/offline_plan.h"

namespace dse::cli {

namespace {

constexpr std::uint64_t kSteps = 3;  // runs that are compared, for what one leaves to the next

std::vector<std::uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

/// Outputs of both files for seeded inputs. @returns why they were not compared, "" where they are equal.
/// @throws InvariantError where they are not.
std::string compared(const std::string& file, const std::string& out) {
  Diagnostics d;
  const auto before = nn::load_network(file, d), after = nn::load_network(out, d);
  if (!before || !after || d.has_errors()) return d.list().empty() ? "it cannot be read" : d.list().front().what;
  for (const auto& op : before->operators)
    if (!op.unsupported.empty()) return op.name + ": " + op.unsupported;
  auto state = nn::initial_state(*before), state_after = nn::initial_state(*after);
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    const auto inputs = nn::seeded_inputs(*before, 0, step);
    const auto a = nn::interpret(*before, inputs, state), b = nn::interpret(*after, inputs, state_after);
    for (std::size_t i = 0; i < before->outputs.size(); ++i)
      ensure(a[index(before->outputs[i])] == b[index(after->outputs[i])],
             "the file that was written computes other bytes");
  }
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

}  // namespace

std::optional<TflmFile> write_tflm_file(const std::string& file, const std::string& out, plan::OrderRule rule,
                                        Diagnostics& d) {
  const auto text = read_file(file, d);
  const auto bytes = text ? bytes_of(*text) : std::vector<std::uint8_t>{};
  auto network = text ? nn::read_tflm_graph(bytes, file, d) : std::nullopt;
  if (!network || d.has_errors()) return std::nullopt;
  auto head = plan::tflm_head(*network, rule);
  const auto written = nn::with_offline_plan(bytes, head.order, head.offsets);
  if (!written) {
    d.error({file, 0, 0}, "tables of the file lie in each other, so that no plan can be put into it");
    return std::nullopt;
  }
  validate_written(*written, head, out);
  write_file(out, characters(*written));
  const bool moved = !std::is_sorted(head.order.begin(), head.order.end());
  return TflmFile{std::move(*network), std::move(head), moved, compared(file, out)};
}

}  // namespace dse::cli
