// Any bytes are a coded stream of weights, or are refused; any text is a system, or a list of errors; any words are a
// command stream that is printed, and each of its kernels one that is walked, or refused with a reason.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "models/hw/ethos_u/stream/walk.h"
#include "models/hw/ethos_u/system_file.h"
#include "models/nn/kernels/npu/dse_npu.h"

namespace {

using namespace dse::hw::ethos_u;

void decode(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::uint8_t> stream(data, data + size);
  const auto bytes = static_cast<std::int32_t>(size);
  const std::int32_t count = dse_npu_decode(stream.data(), bytes, nullptr, 0);
  if (count < 0) return;
  std::vector<std::int16_t> weights(static_cast<std::size_t>(count));
  if (dse_npu_decode(stream.data(), bytes, weights.data(), count) != count) std::abort();
  for (const std::int16_t w : weights)
    if (w < -511 || w > 511) std::abort();
}

void walk_kernels(const std::vector<std::uint32_t>& words) {
  constexpr std::int64_t kQuick = 4096;
  (void)disassemble(words);
  const Npu npu{find_accelerator("ethos-u55-128"), find_system("Ethos_U55_High_End_Embedded"), MemoryMode::shared_sram};
  Registers registers;
  for (std::size_t at = 0; at < words.size();) {
    const auto c = command_at(words, at);
    if (!c) return;
    at += static_cast<std::size_t>(c->words);
    if (c->is_register) registers[c->target] = c->value;
    if (c->is_register || c->op != OpCode::kernel) continue;
    BlockConfig block;
    std::string why;
    const auto job = job_of(npu, registers, block, why);
    if (job.has_value() == !why.empty()) std::abort();
    if (!job || step_count(*job, block) > kQuick) continue;
    const Walk w = walk(npu, registers, *job, block);
    if (static_cast<std::int64_t>(w.steps.size()) != step_count(*job, block)) std::abort();
    for (const Step& s : w.steps)
      if (s.ifm.beats < 0 || s.ifm2.beats < 0 || s.mac_cycles < 0 || s.weight_bytes < 0) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 1 << 16) return 0;
  if (data[0] % 3 == 1) {
    decode(data + 1, size - 1);
    return 0;
  }
  if (data[0] % 3 == 2) {
    dse::Diagnostics d;
    const auto read = read_system_text({reinterpret_cast<const char*>(data) + 1, size - 1}, "fuzz.yaml", d);
    if ((read == nullptr) != d.has_errors()) std::abort();
    return 0;
  }
  std::vector<std::uint32_t> words((size - 1) / 4);
  if (!words.empty()) std::memcpy(words.data(), data + 1, words.size() * 4);
  walk_kernels(words);
  return 0;
}
