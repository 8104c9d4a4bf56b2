#include "explore/compose/graph/live_tensors.h"

#include <algorithm>

#include "base/units.h"
#include "explore/space/cuts.h"

namespace dse::explore {

int home_in(const LiveState& state, int tensor) {
  const auto it = std::find_if(state.begin(), state.end(), [&](const auto& s) { return s.first == tensor; });
  return it == state.end() ? -1 : it->second;
}

std::int64_t variable_bytes(const nn::Network& network, const hw::Device& device) {
  std::int64_t sum = 0;
  for (const auto& t : network.tensors)
    if (t.kind == nn::TensorKind::variable) sum += round_up(t.bytes(), device.memories[device.io].alignment);
  return sum;
}

void LiveTensors::bound_orders() { before_ = all_before(space_); }

LiveState LiveTensors::pass(int op, const std::vector<char>& executed, const LiveState& before, int home,
                            MemoryVector& live) const {
  LiveState after;
  const auto account = [&](int t, int h) {
    if (h >= 0 && counts(t, op)) add(live, t, space_.homes[t][h]);
    if (is_wanted(t, executed)) after.push_back({t, h});
  };
  for (const auto& [t, h] : before) account(t, h);
  const auto& outputs = space_.network->operators[op].outputs;
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (const int out = space_.root[outputs[o]]; !space_.homes[out].empty()) account(out, o == 0 ? home : 0);
  add_variables(live);
  std::sort(after.begin(), after.end());
  return after;
}

bool LiveTensors::is_wanted(int tensor, const std::vector<char>& executed) const {
  const auto& readers = space_.readers[tensor];
  return space_.stays[tensor] || std::any_of(readers.begin(), readers.end(), [&](int r) { return !executed[r]; });
}

bool LiveTensors::is_streamed(int tensor) const {
  return space_.whole.input == plan::shared::Input::streamed && space_.device->input_from >= 0 &&
         space_.network->producer(tensor) < 0;
}

void LiveTensors::add(MemoryVector& live, int tensor, const plan::Placement& home, int sign) const {
  add_bytes(live, home.memory, plan::bytes_of(space_.network->tensors[tensor], home.layout), sign);
}

void LiveTensors::add_bytes(MemoryVector& live, int memory, std::int64_t bytes, int sign) const {
  for (std::size_t m = 0; m < memories_.size(); ++m)
    if (memories_[m] == memory) live[m] += sign * round_up(bytes, space_.device->memories[memory].alignment);
}

/// A tensor is alive while `op` runs: in every order, where a bound on all of them is asked for.
bool LiveTensors::counts(int tensor, int op) const {
  if (before_.empty()) return true;
  const int maker = space_.network->producer(tensor);
  const auto& readers = space_.readers[tensor];
  const bool reads = std::find(readers.begin(), readers.end(), op) != readers.end();
  if (maker == op || reads) return true;
  const bool made = maker >= 0 ? before_[op][maker] != 0 : !is_streamed(tensor) || made_by_reader(readers, op);
  const bool wanted =
      space_.stays[tensor] || std::any_of(readers.begin(), readers.end(), [&](int r) { return before_[r][op] != 0; });
  return made && wanted;
}

bool LiveTensors::made_by_reader(const std::vector<int>& readers, int op) const {
  return std::any_of(readers.begin(), readers.end(), [&](int r) { return before_[op][r] != 0; });
}

}  // namespace dse::explore
