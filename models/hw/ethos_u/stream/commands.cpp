#include "models/hw/ethos_u/stream/commands.h"

#include <fmt/format.h>

namespace dse::hw::ethos_u {
namespace {

const char* const kNames[] = {"FUNCTION",
                              "ACTIVATION",
                              "ACTIVATION_MIN",
                              "ACTIVATION_MAX",
                              "TRAVERSAL",
                              "IFM_BUFFER_END",
                              "ACCUMULATORS_BEGIN",
                              "KERNEL_H",
                              "KERNEL_W",
                              "STRIDES",
                              "BLOCK_H",
                              "BLOCK_W",
                              "BLOCK_C",
                              "BLOCKDEP",
                              "IFM_H",
                              "IFM_W",
                              "IFM_C",
                              "IFM_TYPE",
                              "IFM_REGION",
                              "IFM_ZERO",
                              "IFM_UPSCALE",
                              "PAD_TOP",
                              "PAD_LEFT",
                              "PAD_BOTTOM",
                              "PAD_RIGHT",
                              "IFM2_MODE",
                              "IFM2_H",
                              "IFM2_W",
                              "IFM2_C",
                              "IFM2_TYPE",
                              "IFM2_REGION",
                              "IFM2_ZERO",
                              "OFM_H",
                              "OFM_W",
                              "OFM_C",
                              "OFM_TYPE",
                              "OFM_REGION",
                              "OFM_ZERO",
                              "PART_Y",
                              "PART_C",
                              "IFM_Y",
                              "IFM_RING",
                              "OFM_RING",
                              "WEIGHT_REGION",
                              "DMA_FROM_REGION",
                              "DMA_TO_REGION",
                              "IFM_BASE",
                              "IFM_STRIDE_Y",
                              "IFM_STRIDE_X",
                              "IFM_STRIDE_C",
                              "IFM2_BASE",
                              "IFM2_STRIDE_Y",
                              "IFM2_STRIDE_X",
                              "IFM2_STRIDE_C",
                              "OFM_BASE",
                              "OFM_STRIDE_Y",
                              "OFM_STRIDE_X",
                              "OFM_STRIDE_C",
                              "OFM_SCALE",
                              "IFM_SCALE",
                              "IFM2_SCALE",
                              "WEIGHT_BASE",
                              "WEIGHT_LENGTH",
                              "WEIGHT1_BASE",
                              "WEIGHT1_LENGTH",
                              "SCALE_LENGTH",
                              "DMA_FROM",
                              "DMA_TO",
                              "DMA_LENGTH"};
static_assert(std::size(kNames) == kRegisters);
const char* const kOperations[] = {"KERNEL", "DMA", "DMA_WAIT", "KERNEL_WAIT", "STOP"};

constexpr std::uint32_t kWideBit = 0x4000;

}  // namespace

const char* name_of(Register r) { return kNames[static_cast<std::size_t>(r)]; }
bool is_wide(Register r) { return r >= Register::ifm_base; }

void CommandWriter::set(Register r, std::uint32_t value) {
  const auto i = static_cast<std::size_t>(r);
  if (known_[i] && now_[r] == value) return;
  known_[i] = true, now_[r] = value;
  const auto code = static_cast<std::uint32_t>(r);
  if (!is_wide(r)) {
    words_.push_back(code | (value & 0xFFFF) << 16);
    return;
  }
  words_.push_back(code | kWideBit);
  words_.push_back(value);
}

void CommandWriter::operation(OpCode op, std::uint16_t parameter) {
  words_.push_back(static_cast<std::uint32_t>(op) | static_cast<std::uint32_t>(parameter) << 16);
}

std::optional<StreamCommand> command_at(std::span<const std::uint32_t> words, std::size_t at) {
  if (at >= words.size()) return std::nullopt;
  const std::uint32_t word = words[at], code = word & 0xFFFF;
  StreamCommand out;
  if (code >= static_cast<std::uint32_t>(OpCode::kernel) && code <= static_cast<std::uint32_t>(OpCode::stop)) {
    out.op = static_cast<OpCode>(code), out.value = word >> 16;
    return out;
  }
  const std::uint32_t target = code & ~kWideBit;
  if (target >= kRegisters) return std::nullopt;
  out.is_register = true, out.target = static_cast<Register>(target);
  if (is_wide(out.target) != ((code & kWideBit) != 0)) return std::nullopt;
  out.value = word >> 16;
  if (!is_wide(out.target)) return out;
  if (at + 1 >= words.size() || word >> 16) return std::nullopt;
  out.value = words[at + 1], out.words = 2;
  return out;
}

bool for_each_operation(std::span<const std::uint32_t> words,
                        const std::function<bool(const StreamCommand&, const Registers&)>& operation) {
  Registers r;
  for (std::size_t at = 0;;) {
    const auto c = command_at(words, at);
    if (!c) return false;
    at += static_cast<std::size_t>(c->words);
    if (c->is_register)
      r[c->target] = c->value;
    else if (c->op == OpCode::stop)
      return true;
    else if (!operation(*c, r))
      return false;
  }
}

std::string disassemble(std::span<const std::uint32_t> words) {
  std::string out;
  for (std::size_t at = 0; at < words.size();) {
    const auto c = command_at(words, at);
    if (!c) return out + fmt::format("{:06x}  not a command: {:08x}\n", at * 4, words[at]);
    if (c->is_register)
      out += fmt::format("{:06x}    {:<18}{}\n", at * 4, name_of(c->target), c->value);
    else
      out += fmt::format("{:06x}  {:<20}{}\n", at * 4,
                         kOperations[static_cast<int>(c->op) - static_cast<int>(OpCode::kernel)], c->value);
    at += static_cast<std::size_t>(c->words);
    if (!c->is_register && c->op == OpCode::stop) return out;
  }
  return out + fmt::format("{:06x}  the stream ends without STOP\n", words.size() * 4);
}

}  // namespace dse::hw::ethos_u
