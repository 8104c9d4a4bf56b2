#include "deploy/size/ram.h"

#include <algorithm>

#include "base/diagnostics.h"
#include "base/units.h"
#include "deploy/size/library_use.h"
#include "deploy/size/stack_table.h"
#include "dse_npu_stream.h"
#include "dse_port_eager.h"
#include "dse_runtime.h"
#include "models/nn/graph/price.h"

namespace dse::deploy {

std::vector<ArenaRam> arena_ram(const program::Program& p, std::int64_t constants) {
  std::vector<ArenaRam> out;
  for (std::size_t a = 0; a < p.arenas.size(); ++a) {
    ArenaRam r;
    r.name = p.arenas[a].name;
    const bool weights = static_cast<int>(a) == p.constants_arena;
    r.in_place = weights && p.arenas[a].size <= constants;
    if (!r.in_place) r.object = p.arenas[a].size;
    if (weights && !r.in_place) r.image = constants;
    for (const auto& b : p.buffers)
      if (b.arena == static_cast<int>(a) && b.role == program::BufferRole::state) r.state += b.size;
    for (const auto& l : p.preloads)
      if (l.arena == static_cast<int>(a)) r.resident += l.size;
    r.resident -= r.state;  // every state is preloaded
    out.push_back(std::move(r));
  }
  return out;
}

std::int64_t emulation_bytes(const program::Program& program) {
  std::int64_t most = 0;
  for (const auto& t : program.templates)
    if (const auto* s = program::stream_of(t))
      most = std::max<std::int64_t>(
          most, dse_npu_memory_bytes(s->meaning.data(), static_cast<std::uint32_t>(s->meaning.size())));
  return round_up(most, std::int64_t{8});
}

Ram ram_of(const program::Program& program, std::int64_t constants) {
  Ram out;
  out.arenas = arena_ram(program, constants);
  for (const auto& a : out.arenas) out.all_arenas += a.object;
  out.emulation = emulation_bytes(program);
  out.runtime = sizeof(dse_runtime), out.port = sizeof(dse_port_eager);
  return out;
}

namespace {

/// sizeof dse_runtime and dse_port_eager where pointers have 4 bytes and 64-bit integers are aligned to 8, as Arm's
/// procedure call standard has it. dse_arenas.c holds them against its compiler.
constexpr std::int64_t kRuntimeOf32Bits = 3388, kPortOf32Bits = 80;

std::int64_t stack_of_kernel(const std::string& function) {
  for (const StackRow& row : kStackOfKernels)
    if (function == row.function) return row.bytes;
  throw InvariantError("no stack is known of " + function);
}

/// Kinds that techniques and output batches are for: a plan chooses.
bool has_sums(const dse_op& op) {
  return op.kind == DSE_CONV_2D || op.kind == DSE_FULLY_CONNECTED || op.kind == DSE_DEPTHWISE_CONV_2D ||
         op.kind == DSE_TRANSPOSE_CONV || op.kind == DSE_MATMUL;
}

}  // namespace

const char* stack_compiler() { return kStackCompiler; }

std::int64_t stack_of(const nn::Network& network, KernelSet kernels) {
  // Those of the user's own are macros, which the reference ones stand behind.
  const KernelSet known = kernels == KernelSet::own ? KernelSet::reference : kernels;
  std::int64_t most = stack_of_kernel("dse_copy");  // tensors that change their memory
  for (const auto& o : network.operators)
    for (const auto& call : o.calls) {
      most = std::max(most, stack_of_kernel(kernel_of(call.op, known)));
      if (!has_sums(call.op)) continue;
      std::int64_t sums = stack_of_kernel(plain_kernel_of(call.op.kind, known));
      for (const StackRow& row : kStackOfKernels)
        if (is_technique(row.function) || row.function == std::string("dse_compensated"))
          sums = std::max<std::int64_t>(sums, row.bytes);
      most = std::max(most, sums + stack_of_kernel("dse_in_batches"));
    }
  return std::max<std::int64_t>(kStackOfRun + most, kStackOfInit);
}

TargetRam target_ram(const nn::Network& network, const hw::Device& device, KernelSet kernels) {
  TargetRam out;
  out.runtime = kRuntimeOf32Bits, out.port = kPortOf32Bits;
  const int computes = device.compute_engine();
  if (computes < 0 || !device.engines[static_cast<std::size_t>(computes)].is_array())
    out.stack = stack_of(network, kernels);
  if (kernels == KernelSet::cmsis_nn) out.kernels = cmsis_ram(cmsis_memory(network));
  return out;
}

TargetRam target_ram(const nn::Network& network, const hw::Device& device, const program::Program& program,
                     KernelSet kernels) {
  TargetRam out = target_ram(network, device, kernels);
  for (const auto& a : arena_ram(program, program.constants_size)) {
    const int memory = device.memory(a.name);
    if (memory >= 0 && device.memories[static_cast<std::size_t>(memory)].on_chip) out.arenas += a.object;
  }
  return out;
}

std::string why_no_ram(const nn::Network& network, const hw::Device& device) {
  if (device.npu() >= 0) return "has an NPU, and a package emulates it";
  if (device.memories[static_cast<std::size_t>(device.constants)].on_chip)
    return "keeps the weights in a memory on the chip, which no object of a package stands for";
  return nn::priced_text(network).empty() ? "" : "has no package of a network with operators that only have a price";
}

std::int64_t linked_objects(const nn::Network& network, const program::Program& program, KernelSet kernels,
                            bool runtime, std::int64_t emulation) {
  std::int64_t bytes = emulation + (kernels == KernelSet::cmsis_nn ? cmsis_ram(cmsis_memory(network)) : 0);
  if (runtime) bytes += kRuntimeOf32Bits + kPortOf32Bits;
  for (const auto& a : arena_ram(program, program.constants_size)) bytes += a.object;
  return bytes;
}

}  // namespace dse::deploy
