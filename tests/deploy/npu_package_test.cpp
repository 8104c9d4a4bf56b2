// Plans of an NPU as packages: the runtime emulates their streams, and computes what the interpreter does, whatever the
// order in which its engines work; in the static style too (static_style_test.cpp). Damaged ones stay in their bounds.
#include <gtest/gtest.h>

#include "deploy/host/runner.h"
#include "deploy/size/ram.h"
#include "dse_npu_emulation.h"
#include "plan/lower/lower.h"
#include "plan/npu/program/npu_plan.h"
#include "program/encoding.h"
#include "tests/deploy/damaged_plan.h"
#include "tests/explore/npu/networks.h"
#include "tests/support/random_state.h"
#include "tests/support/slow.h"

namespace dse::npu_package_test {
namespace {

using hw::ethos_u::MemoryMode;
using test::Random;

struct Shipped {
  program::Program program;
  deploy::Bytes encoded, constants;
};

std::optional<Shipped> shipped(const nn::NetworkPtr& n, const hw::Device& d, bool size) {
  const plan::npu::Decisions decided{.rule = size ? plan::npu::Optimise::size : plan::npu::Optimise::performance,
                                     .limit = hw::ethos_u::npu_of(d)->npu.arena_limit,
                                     .blocks = {},
                                     .unstaged = {}};
  const auto made = plan::npu::npu_plan(n, d, decided);
  const auto* plan = std::get_if<plan::Plan>(&made);
  if (!plan) return std::nullopt;
  Shipped out{plan::lower(*n, d, *plan), {}, plan::constants_image(*n, d, *plan)};
  out.encoded = program::encode(out.program);
  return out;
}

hw::DevicePtr drawn_device(Random& random) {
  const auto all = hw::ethos_u::accelerators();
  return explore::npu::test::device_with_npu(std::string(all[random() % all.size()].name),
                                             static_cast<MemoryMode>(random() % 3));
}

/// Two inferences, so that states count.
void expect_bytes(const nn::Network& n, const Shipped& s, deploy::PortKind port, std::uint64_t seed) {
  std::vector<deploy::ByteVectors> steps, want;
  auto state = nn::initial_state(n);
  for (std::uint64_t step = 0; step < 2; ++step) {
    steps.push_back(nn::seeded_inputs(n, seed, step));
    const auto truth = nn::interpret(n, steps.back(), state);
    want.emplace_back();
    for (const int t : n.outputs) want.back().push_back(truth[static_cast<std::size_t>(t)]);
  }
  Diagnostics d;
  const auto got = deploy::run_package_steps(s.encoded, s.constants, steps, port, seed, d);
  ASSERT_TRUE(got) << d.text();
  EXPECT_EQ(*got, want);
}

TEST(NpuPackages, ComputeWhatTheInterpreterDoes) {
  Random random(5);
  constexpr deploy::PortKind kPorts[] = {deploy::PortKind::eager, deploy::PortKind::lazy, deploy::PortKind::dma,
                                         deploy::PortKind::random};
  int made = 0;
  for (int i = 0; i < test::of_cases(120) && !HasFailure(); ++i) {
    const auto n = i % 3 ? test::random_network(random) : test::random_stateful_network(random);
    const auto d = drawn_device(random);
    const auto s = shipped(n, *d, random() % 2);
    if (!s) continue;
    SCOPED_TRACE("network " + std::to_string(i) + " on " + d->engines[1].accelerator);
    expect_bytes(*n, *s, kPorts[random() % 4], static_cast<std::uint64_t>(i));
    ++made;
  }
  EXPECT_GT(made, test::of_cases(120) * 3 / 4);
}

TEST(NpuPackages, WithTheCpuBetween) {
  const auto n = explore::npu::test::with_between(nn::OperatorKind::elu, false);
  for (const auto mode : {MemoryMode::shared_sram, MemoryMode::sram_only, MemoryMode::dedicated_sram}) {
    const auto s = shipped(n, *explore::npu::test::device_with_npu("ethos-u55-64", mode), false);
    ASSERT_TRUE(s);
    EXPECT_GT(s->program.sections.size(), 2u);
    expect_bytes(*n, *s, deploy::PortKind::random, 3);
  }
}

TEST(NpuPackages, WithoutAnExecutorOrItsMemoryAreRefused) {
  const auto n = explore::npu::test::thesis_network(4, 8);
  const auto s = shipped(n, *explore::npu::test::device_with_npu("ethos-u55-128"), false);
  ASSERT_TRUE(s);
  dse_runtime rt;
  ASSERT_EQ(dse_open(&rt, s->encoded.data(), static_cast<std::uint32_t>(s->encoded.size())), DSE_OK);
  std::vector<deploy::Bytes> memory;
  std::vector<dse_arena> arenas;
  for (int a = 0; a < dse_arena_count(&rt); ++a) memory.emplace_back(dse_arena_size(&rt, a) + 64);
  for (auto& m : memory) {
    const auto at = reinterpret_cast<std::uintptr_t>(m.data());
    arenas.push_back({m.data() + (64 - at % 64) % 64, static_cast<std::uint32_t>(m.size() - 64)});
  }
  ASSERT_EQ(dse_bind(&rt, arenas.data(), dse_arena_count(&rt), s->constants.data()), DSE_OK);
  dse_port_eager eager;
  dse_port port = dse_make_port_eager(&eager);
  EXPECT_EQ(dse_run(&rt, &port), DSE_ERR_UNSUPPORTED);
  const auto bytes = static_cast<std::uint32_t>(deploy::emulation_bytes(s->program));
  EXPECT_GT(bytes, 0u);
  std::vector<std::uint64_t> working(bytes / 8);
  dse_npu_emulation npu = {reinterpret_cast<std::uint8_t*>(working.data()), bytes};
  dse_npu_attach(&rt, &npu);
  port = dse_make_port_eager(&eager);
  EXPECT_EQ(dse_run(&rt, &port), DSE_OK);
  npu.bytes -= 8;
  port = dse_make_port_eager(&eager);
  EXPECT_EQ(dse_run(&rt, &port), DSE_ERR_ARENA);
}

/// Bits of small plans are turned over and their sums made right again.
TEST(NpuPackages, DamagedOnesStayInsideTheirMemories) {
  Random random(8);
  std::vector<Shipped> seeds;
  while (seeds.size() < 6) {
    const auto n = seeds.size() % 2 ? test::random_network(random) : test::random_stateful_network(random);
    if (auto s = shipped(n, *drawn_device(random), random() % 2)) seeds.push_back(std::move(*s));
  }
  std::map<test::Fate, int> fates;
  for (std::uint64_t i = 0; i < 6000; ++i) {
    const Shipped& whole = seeds[i % seeds.size()];
    auto bytes = whole.encoded;
    for (std::uint64_t k = random() % 4; k < 4; ++k) {
      const std::size_t at = random() % bytes.size();
      bytes[at] = random() % 2 ? static_cast<std::uint8_t>(random())
                               : static_cast<std::uint8_t>(bytes[at] ^ 1U << random() % 8);
    }
    test::seal_plan(bytes);
    ++fates[test::run_damaged(bytes, i, whole.constants)];
  }
  std::cout << fates[test::Fate::refused] << " refused, " << fates[test::Fate::stopped] << " stopped, "
            << fates[test::Fate::finished] << " finished, " << fates[test::Fate::skipped] << " too long\n";
  EXPECT_GT(fates[test::Fate::stopped], 200);
  EXPECT_GT(fates[test::Fate::finished], 200);
}

}  // namespace
}  // namespace dse::npu_package_test
