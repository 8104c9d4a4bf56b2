// The command stream of the simulated Ethos-U: what is written is read, and what is damaged has an end.
#include "models/hw/ethos_u/stream/commands.h"

#include <gtest/gtest.h>

#include <random>

namespace dse::hw::ethos_u::commands_test {
namespace {

TEST(Commands, OnlyWhatChangesIsWritten) {
  CommandWriter w;
  w.set(Register::kernel_h, 3);
  w.set(Register::kernel_h, 3);
  w.set(Register::ifm_base, 70000);
  w.operation(OpCode::kernel, 5);
  w.set(Register::kernel_h, 4);
  w.operation(OpCode::stop);
  EXPECT_EQ(w.words().size(), 1u + 2 + 1 + 1 + 1);
  EXPECT_EQ(disassemble(w.words()),
            "000000    KERNEL_H          3\n"
            "000004    IFM_BASE          70000\n"
            "00000c  KERNEL              5\n"
            "000010    KERNEL_H          4\n"
            "000014  STOP                0\n");
}

TEST(Commands, EveryRegisterComesBack) {
  for (int i = 0; i < kRegisters; ++i) {
    const auto r = static_cast<Register>(i);
    CommandWriter w;
    w.set(r, is_wide(r) ? 0x12345678 : 0x1234);
    const auto c = command_at(w.words(), 0);
    ASSERT_TRUE(c) << name_of(r);
    EXPECT_TRUE(c->is_register);
    EXPECT_EQ(c->target, r);
    EXPECT_EQ(c->value, is_wide(r) ? 0x12345678u : 0x1234u);
    EXPECT_EQ(static_cast<std::size_t>(c->words), w.words().size());
  }
}

TEST(Commands, DamagedStreamsAreTold) {
  EXPECT_EQ(disassemble({}), "000000  the stream ends without STOP\n");
  const std::vector<std::uint32_t> unknown = {0x00000FFF};
  EXPECT_EQ(disassemble(unknown), "000000  not a command: 00000fff\n");
  CommandWriter w;
  w.set(Register::ifm_base, 1);
  const std::vector<std::uint32_t> half(w.words().begin(), w.words().begin() + 1);
  EXPECT_FALSE(command_at(half, 0)) << "the second word is missing";
}

TEST(Commands, RandomWordsEndSomewhere) {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::uint32_t> words(random() % 40);
    for (auto& w : words) w = random() % 3 ? random() % 0xF0 : static_cast<std::uint32_t>(random());
    EXPECT_FALSE(disassemble(words).empty());
  }
}

}  // namespace
}  // namespace dse::hw::ethos_u::commands_test
