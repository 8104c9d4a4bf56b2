#include "models/hw/ethos_u/stream/commands.h"

#include <fmt/format.h>

#include <cctype>

namespace dse::hw::ethos_u {
namespace {

const char* const kOperations[] = {"KERNEL", "DMA", "DMA_WAIT", "KERNEL_WAIT", "STOP"};

constexpr std::uint32_t kWideBit = 0x4000;

}  // namespace

std::string name_of(Register r) {
#define DSE_NPU_NAME(name) #name,
  static const char* const kNames[] = {DSE_NPU_REGISTERS(DSE_NPU_NAME)};
#undef DSE_NPU_NAME
  std::string out = kNames[static_cast<std::size_t>(r)];
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}
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
  const bool more = at + 1 < words.size();
  dse_npu_command c;
  if (!dse_npu_read_command(words[at], more ? words[at + 1] : 0, more ? 2 : 1, &c)) return std::nullopt;
  StreamCommand out;
  out.is_register = c.is_register != 0;
  if (out.is_register)
    out.target = static_cast<Register>(c.code);
  else
    out.op = static_cast<OpCode>(c.code);
  out.value = c.value, out.words = static_cast<int>(c.words);
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
