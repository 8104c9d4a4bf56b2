// What a command stream computes: every kernel block by block with the C99 kernels, on the bytes of the arenas, with
// weights that are decoded from the stream. Softmax and other operators that are taken apart are computed as one when
// their last piece ends.
#pragma once
#include <map>
#include <span>
#include <vector>

#include "models/hw/ethos_u/stream/stream_bytes.h"
#include "plan/npu/stream/emit.h"

namespace dse::plan::npu {

class Emulation final : public hw::ethos_u::StreamBytes {
 public:
  /// Bytes of the memories, which outlive it: constants as constants_image() has them, the arena in the fast memory and
  /// that of feature maps, where that is another.
  struct Memories {
    std::span<std::uint8_t> constants, fast, other;
  };
  Emulation(const nn::Network& network, const Costs& costs, const Schedule& schedule, const Places& places,
            const Memories& memories);

  void write_input(int tensor, const std::vector<std::uint8_t>& bytes);  // of the network
  std::vector<std::uint8_t> read_tensor(int tensor) const;
  void set_state(const nn::TensorBytes& state);
  /// An operator of the CPU.
  void run_on_cpu(int source);
  /// The stream that runs next.
  void begin(const Stream& stream) { stream_ = &stream; }
  bool kernel(const hw::ethos_u::Registers& r, int number) override;
  bool copy(const hw::ethos_u::Registers& r) override;

 private:
  std::uint8_t* memory(int tensor);
  const std::uint8_t* memory(int tensor) const { return const_cast<Emulation*>(this)->memory(tensor); }
  int graph_tensor(int network_tensor) const;
  dse_view view_of(int tensor, const nn::KernelCall::Operand& operand, int ring) const;
  bool in_pieces(int operation) const;
  void whole(int operation);
  bool blocks(const hw::ethos_u::Registers& r, const Part& part);
  bool read_weights(const hw::ethos_u::Registers& r, const Part& part);
  std::vector<std::uint8_t> dense(int tensor) const;
  void store(int tensor, const std::vector<std::uint8_t>& bytes);

  const nn::Network& network_;
  const Costs& costs_;
  const Schedule& schedule_;
  const Places& places_;
  const Stream* stream_ = nullptr;
  std::span<std::uint8_t> constants_, fast_, other_;
  std::vector<std::pair<int, int>> pieces_;  // first and last operation by operator
  std::map<int, nn::TensorBytes> results_;   // of operators in pieces, between the first and the last
  std::vector<std::uint8_t> weights_;        // of the kernel that runs
  std::vector<std::int32_t> records_;
};

}  // namespace dse::plan::npu
