// The generated C of a package: data, buffers, tables; in the static style also the program itself.
#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "deploy/export/kernels.h"
#include "deploy/format/contents.h"
#include "models/hw/device.h"
#include "models/nn/network.h"
#include "program/program.h"

namespace dse::deploy {

/// interpreted: the runtime walks plan.dse. statically: C that calls the kernels, in the plan's order.
enum class Style { interpreted, statically };

struct GeneratedInput {
  const nn::Network& network;
  const hw::Device& device;
  std::vector<const program::Program*> points;  // fastest first; of the static style: one
  std::vector<std::int64_t> ticks;              // that they promise
  std::span<const std::uint8_t> package;        // of the interpreted style: for the target
  std::span<const std::uint8_t> constants;      // of the static style
  const ByteVectors& inputs;
  const ByteVectors& outputs;
  std::uint32_t unsealed = 0;  // bytes of the decrypted package, 0 = it is not encrypted
  std::string plan_ids;
  KernelSet kernels = KernelSet::reference;
  bool nameless = false;  // Shipment::nameless
};

using TextFiles = std::vector<std::pair<std::string, std::string>>;  // (name, text)

/// dse.h, dse_data.c, dse_arenas.c, dse_test_vector.c, dse_kernel_table.c or dse_program.c.
TextFiles generate_c(const GeneratedInput& in, Style style);

/// Whether command streams of an NPU are among the tasks.
bool has_streams(const program::Program& p);
/// Working memory that all points' emulations need. 0: no point has a stream.
std::int64_t emulation_of(const GeneratedInput& in);
/// dse_npu_memory.c: that memory.
std::string npu_memory_c(Style style);
/// dse_program.c of the static style.
std::string program_c(const program::Program& p, KernelSet kernels);
/// dse_kernel_table.c: the kernels that the programs' operators need.
std::string kernel_table_c(const std::vector<const program::Program*>& points, KernelSet kernels);
/// #include of what declares them, beside the reference ones.
std::string include_of(KernelSet kernels);
/// dse_cmsis_memory.c, and the macros of its size and of how many calls of a point it is for.
std::string cmsis_memory_c();
std::string cmsis_calls_macro(const program::Program& point);
std::string cmsis_macros(const nn::Network& network);

/// What an interpreted package takes of a 32-bit target's RAM at a point; empty where that is not said.
std::string target_ram_macros(const GeneratedInput& in, Style style, const program::Program& point);
/// Of dse_arenas.c: compiled for Arm, it holds them against the sizes there. Other processors may align otherwise.
extern const char* const kTargetRamCheck;

/// "1,2,3" in lines of 32; at least one element, as C99 knows no empty array.
std::string numbers(std::span<const std::uint8_t> bytes);
/// The name of an arena's macro: "L1" of "l1".
std::string macro_of(const program::Program& p, std::size_t arena);

/// Of what a package could hold, what `texts` need: files that define what they name, and so on. In the order of
/// shipped_files().
TextFiles needed_files(const TextFiles& texts);
/// dse_ and DSE_ of every name, and of files' names, become `prefix` and its capitals. `prefix`: a C identifier.
void rename(TextFiles& files, const std::string& prefix);
/// "KWS" of "kws": of macros.
std::string capitals_of(std::string prefix);

}  // namespace dse::deploy
