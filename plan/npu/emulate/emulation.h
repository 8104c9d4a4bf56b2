// Command streams of a schedule on the bytes of arenas of their own: what the simulated NPU calls back for (see
// dse_npu_stream.h for what they mean), and the CPU's operators between them.
#pragma once
#include <array>
#include <deque>
#include <vector>

#include "models/hw/ethos_u/stream/stream_bytes.h"
#include "plan/npu/stream/emit.h"

namespace dse::plan::npu {

class Emulation final : public hw::ethos_u::StreamBytes {
 public:
  /// The arenas are filled with poison, but for the constants.
  Emulation(const nn::Network& network, const Costs& costs, const Schedule& schedule, const Places& places);

  void write_input(int tensor, const std::vector<std::uint8_t>& bytes);  // of the network
  std::vector<std::uint8_t> read_tensor(int tensor) const;
  void set_state(const nn::TensorBytes& state);
  /// An operator of the CPU.
  void run_on_cpu(int source);
  /// The stream that runs next.
  void begin(const Stream& stream);
  bool kernel(const hw::ethos_u::Registers& r, int number) override;
  bool copy(const hw::ethos_u::Registers& r) override;

 private:
  /// Where a tensor of the network lies; null: nowhere.
  std::uint8_t* memory(int tensor) const;

  const nn::Network& network_;
  const Costs& costs_;
  const Schedule& schedule_;
  const Places& places_;
  std::array<std::vector<std::uint8_t>, 3> arenas_;  // by region
  std::array<std::uint8_t*, 3> bases_{};
  std::array<std::uint32_t, 3> sizes_{};
  std::vector<std::uint8_t> meaning_;
  std::deque<dse_op> operators_;
  std::vector<std::uint64_t> working_;
  dse_npu_machine machine_{};
};

}  // namespace dse::plan::npu
