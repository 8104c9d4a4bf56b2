// The command stream of the simulated Ethos-U: registers that keep their values, and operations that use them. An
// encoding of our own (docs/npu/schedules.md), of the same size as Arm's in kind: 4 bytes for what has 16 bits, 8 for
// what has 32, and only what changed. It does not run on Arm's hardware.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/nn/kernels/dse_npu_stream.h"

namespace dse::hw::ethos_u {

/// In the order of their codes; up to `dma_to_region` 16 bits, from `ifm_base` on 32.
enum class Register : std::uint8_t {
#define DSE_NPU_ENUMERATOR(name) name,
  DSE_NPU_REGISTERS(DSE_NPU_ENUMERATOR)
#undef DSE_NPU_ENUMERATOR
};
constexpr int kRegisters = DSE_NPU_REGISTER_COUNT;
std::string name_of(Register r);  // "FUNCTION", "IFM_H", ...
bool is_wide(Register r);

/// Memories as the stream names them: the host says where each begins.
enum class Region : std::uint8_t {
  constants = DSE_NPU_CONSTANTS,
  fast = DSE_NPU_FAST,
  feature_maps = DSE_NPU_FEATURE_MAPS,
  tables = DSE_NPU_TABLES
};

/// ifm2_mode: there is no second operand; a map; one value.
enum class SecondOperand : std::uint8_t { none, map, scalar };

enum class OpCode : std::uint8_t {
  kernel = DSE_NPU_KERNEL,
  dma = DSE_NPU_DMA,
  dma_wait = DSE_NPU_DMA_WAIT,
  kernel_wait = DSE_NPU_KERNEL_WAIT,
  stop = DSE_NPU_STOP
};

struct Registers {
  std::array<std::uint32_t, kRegisters> values{};
  std::uint32_t operator[](Register r) const { return values[static_cast<std::size_t>(r)]; }
  std::uint32_t& operator[](Register r) { return values[static_cast<std::size_t>(r)]; }
};

/// Writes registers where they change.
class CommandWriter {
 public:
  void set(Register r, std::uint32_t value);
  /// `parameter`: of a kernel the number of what it computes, of waits how many may be left.
  void operation(OpCode op, std::uint16_t parameter = 0);
  const std::vector<std::uint32_t>& words() const { return words_; }

 private:
  Registers now_;
  std::array<bool, kRegisters> known_{};
  std::vector<std::uint32_t> words_;
};

/// One command and the words that it takes.
struct StreamCommand {
  bool is_register = false;
  Register target = Register::function;
  OpCode op = OpCode::stop;
  std::uint32_t value = 0;
  int words = 1;
};
/// The command at `at`. Nothing where there is none: the stream ends, or the code is unknown.
std::optional<StreamCommand> command_at(std::span<const std::uint32_t> words, std::size_t at);

/// Calls back for every operation, with the registers as they are then, until one is refused. @returns whether it came
/// to STOP, which is not called back for.
bool for_each_operation(std::span<const std::uint32_t> words,
                        const std::function<bool(const StreamCommand&, const Registers&)>& operation);

/// Words that are fetched at a time.
constexpr std::size_t kFetchWords = 16;

/// One line per command, with its offset; a last line says where it ends and why, unless it is at a stop.
std::string disassemble(std::span<const std::uint32_t> words);

}  // namespace dse::hw::ethos_u
