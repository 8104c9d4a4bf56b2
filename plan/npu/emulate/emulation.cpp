#include "plan/npu/emulate/emulation.h"

#include <algorithm>
#include <cstring>

#include "base/diagnostics.h"
#include "base/index.h"
#include "plan/npu/emulate/image.h"
#include "plan/npu/emulate/meaning.h"
#include "plan/npu/emulate/views.h"

namespace dse::plan::npu {

using namespace hw::ethos_u;

namespace {

constexpr std::uint8_t kPoison = 0xA5;

int operator_at(void* context, std::uint32_t number, dse_op* op) {
  const auto& all = *static_cast<const std::deque<dse_op>*>(context);
  if (number >= all.size()) return 0;
  *op = all[number];
  return 1;
}

}  // namespace

Emulation::Emulation(const nn::Network& network, const Costs& costs, const Schedule& schedule, const Places& places)
    : network_(network), costs_(costs), schedule_(schedule), places_(places) {
  const bool one = costs.npu().feature_maps() == Npu::fast();  // both regions are the same memory
  arenas_[DSE_NPU_CONSTANTS] = constants_image(network, costs, schedule, places);
  arenas_[DSE_NPU_FAST].assign(static_cast<std::size_t>(places.fast_bytes), kPoison);
  arenas_[DSE_NPU_FEATURE_MAPS].assign(one ? 0 : static_cast<std::size_t>(places.other_bytes), kPoison);
  for (std::size_t r = 0; r < arenas_.size(); ++r) {
    auto& from = arenas_[one && r == DSE_NPU_FEATURE_MAPS ? std::size_t{DSE_NPU_FAST} : r];
    bases_[r] = from.data(), sizes_[r] = static_cast<std::uint32_t>(from.size());
  }
}

std::uint8_t* Emulation::memory(int tensor) const {
  const int t = costs_.graph().of_network[index(tensor)];
  if (t < 0 || places_.tensor[index(t)] < 0) return nullptr;
  ensure(costs_.format(t) == Format::nhwc, "'" + costs_.tensor(t).name + "' is seen outside the NPU, in bricks");
  const Place at = TensorViews(costs_, places_).whole(t);
  return bases_[index(at.where)] + at.offset;
}

void Emulation::write_input(int tensor, const std::vector<std::uint8_t>& bytes) {
  if (auto* to = memory(tensor)) std::memcpy(to, bytes.data(), bytes.size());
}

std::vector<std::uint8_t> Emulation::read_tensor(int tensor) const {
  const std::uint8_t* from = memory(tensor);
  ensure(from != nullptr, "'" + network_.tensors[index(tensor)].name + "' lies nowhere");
  return {from, from + network_.tensors[index(tensor)].bytes()};
}

void Emulation::set_state(const nn::TensorBytes& state) {
  for (std::size_t t = 0; t < state.size(); ++t)
    if (!state[t].empty()) write_input(static_cast<int>(t), state[t]);
}

void Emulation::run_on_cpu(int source) {
  const nn::Operator& op = network_.operators[index(source)];
  nn::TensorBytes bytes(network_.tensors.size());
  const auto variable = [&](int t) { return network_.tensors[index(t)].kind == nn::TensorKind::variable; };
  for (const int t : op.inputs)
    if (t >= 0 && network_.tensors[index(t)].kind != nn::TensorKind::constant) bytes[index(t)] = read_tensor(t);
  for (const int t : op.outputs)
    if (bytes[index(t)].empty())  // else the operator reads it, too
      bytes[index(t)].assign(static_cast<std::size_t>(network_.tensors[index(t)].bytes()), 0);
  nn::run_operator(network_, op, bytes);
  for (const int t : op.outputs) write_input(t, bytes[index(t)]);
  for (const int t : op.inputs)
    if (t >= 0 && variable(t)) write_input(t, bytes[index(t)]);
}

void Emulation::begin(const Stream& stream) {
  std::array<RegionAt, 3> regions;
  for (int r = 0; r < 3; ++r) regions[index(r)] = {r, 0, std::int64_t{sizes_[index(r)]}};
  operators_.clear();
  meaning_ = meaning_of(network_, costs_, schedule_, places_, stream, regions, operators_);
  const auto bytes = static_cast<std::uint32_t>(meaning_.size());
  working_.assign((dse_npu_memory_bytes(meaning_.data(), bytes) + 7) / 8, 0);
  machine_ = {meaning_.data(),
              bytes,
              bases_.data(),
              sizes_.data(),
              3,
              reinterpret_cast<std::uint8_t*>(working_.data()),
              static_cast<std::uint32_t>(working_.size() * 8),
              operator_at,
              &operators_};
}

bool Emulation::kernel(const Registers& r, int number) {
  return dse_npu_kernel(&machine_, r.values.data(), static_cast<std::uint32_t>(number)) == DSE_NPU_OK;
}

bool Emulation::copy(const Registers& r) { return dse_npu_copy(&machine_, r.values.data()) == DSE_NPU_OK; }

}  // namespace dse::plan::npu
