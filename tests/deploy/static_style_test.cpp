// Packages as C that calls the kernels: compiled, they compute what the interpreter does, for drawn networks of every
// arithmetic, with states, techniques and output batches.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "deploy/export/package.h"
#include "deploy/export/shipped.h"
#include "models/nn/graph/technique.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/npu/program/npu_plan.h"
#include "plan/plan.h"
#include "tests/explore/npu/networks.h"
#include "tests/nn/factors/drawn_chain.h"
#include "tests/nn/random_ops/one_operator.h"
#include "tests/support/random_cases.h"
#include "tests/support/random_state.h"
#include "tests/support/random_wide.h"
#include "tests/support/shell.h"

namespace dse::static_style_test {
namespace {

namespace fs = std::filesystem;
using test::shell;
using test::text_of;

/// All kernels as one archive, compiled once, without a table of them: a package brings the one that it needs.
const fs::path& library() {
  static const fs::path folder = [] {
    const fs::path f = fs::path(DSE_BINARY_DIR) / "test-packages" / ("static-lib" + std::to_string(::getpid()));
    fs::create_directories(f);
    for (const auto& file : deploy::shipped_files())
      if (file.name.find('/') == std::string_view::npos && !file.name.starts_with("main") &&
          !file.name.starts_with("dse_cmsis"))
        std::ofstream(f / file.name, std::ios::binary) << file.text;
    EXPECT_EQ(shell(f, "rm dse_selftest.c && for c in *.c; do cc -std=c99 -O1 -c $c || exit 1; done; ar rcs all.a *.o"),
              0)
        << text_of(f / "log.txt");
    return f;
  }();
  return folder;
}

class Static : public ::testing::Test {
 protected:
  /// Compiles and runs a plan of random choices. @returns whether there was one.
  bool compute_some(const nn::Network& n, const hw::Device& d, test::Random& random, std::uint64_t seed) {
    const auto made = plan::make_plan(n, d, test::random_choices(random, n, d, true));
    const auto* plan = std::get_if<plan::Plan>(&made);
    if (plan) compute(n, d, *plan, seed);
    return plan != nullptr;
  }

  void compute(const nn::Network& n, const hw::Device& d, const plan::Plan& plan, std::uint64_t seed) {
    const auto program = plan::lower(n, d, plan);
    const auto constants = plan::constants_image(n, d, plan);
    const auto inputs = nn::seeded_inputs(n, seed);
    deploy::ByteVectors outputs;
    const auto truth = nn::interpret(n, inputs);
    for (const int t : n.outputs) outputs.push_back(truth[static_cast<std::size_t>(t)]);
    const fs::path folder = fs::path(DSE_BINARY_DIR) / "test-packages" / ("static" + std::to_string(::getpid()));
    fs::remove_all(folder);
    fs::create_directories(folder);
    deploy::TextFiles files =
        deploy::generate_c({n, d, {&program}, {1}, {}, constants, inputs, outputs, 0, "id"}, deploy::Style::statically);
    for (const auto& f : deploy::shipped_files()) {
      if (f.name == "main_static.c" || f.name == "dse_selftest.c") files.emplace_back(f.name, f.text);
      if (f.name == "dse_start_static.h") files.emplace_back("dse_start.h", f.text);
    }
    for (const char* kernel : {"dse_in_batches", "dse_compensated", "dse_im2row", "dse_winograd", "dse_separable",
                               "dse_transposed", "dse_lstm", "dse_svdf", "dse_transfer"})
      used_[kernel] += files[3].second.find(kernel) != std::string::npos;
    for (const auto& [name, text] : files) std::ofstream(folder / name, std::ios::binary) << text;
    const auto lib = library().string();
    EXPECT_EQ(shell(folder, "cc -std=c99 -O0 -Wall -Wextra -Wconversion -pedantic -Werror -I. -I'" + lib + "' *.c '" +
                                lib + "/all.a' -o run && ./run"),
              0)
        << text_of(folder / "log.txt");
    if (!HasFailure()) fs::remove_all(folder);
  }
  std::map<std::string, int> used_;  // kernel -> plans that call it
};

TEST_F(Static, ComputesWhatTheInterpreterDoes) {
  int plans = 0;
  for (std::uint64_t seed = 0; plans < 24 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const auto d = test::random_device(random);
    const auto n = seed % 3 == 0   ? test::random_network(random)
                   : seed % 3 == 1 ? test::random_wide_network(random, static_cast<test::Arithmetic>(seed % 5))
                                   : test::random_stateful_network(random);
    if (n) plans += compute_some(*n, *d, random, seed);
  }
  EXPECT_GT(used_["dse_lstm"] + used_["dse_svdf"], 3);
}

TEST_F(Static, StreamsOfAnNpu) {
  using explore::npu::test::device_with_npu;
  const auto compute_on = [&](const nn::NetworkPtr& n, const hw::DevicePtr& d) {
    const auto made =
        plan::npu::npu_plan(n, *d, plan::npu::Decisions{.rule = {}, .limit = 1 << 22, .blocks = {}, .unstaged = {}});
    ASSERT_TRUE(std::holds_alternative<plan::Plan>(made));
    compute(*n, *d, std::get<plan::Plan>(made), 1);
  };
  compute_on(explore::npu::test::thesis_network(4, 8), device_with_npu("ethos-u65-512"));
  compute_on(explore::npu::test::with_between(nn::OperatorKind::elu, false),
             device_with_npu("ethos-u55-64", hw::ethos_u::MemoryMode::sram_only));
  test::Random random(1);
  compute_on(test::random_stateful_network(random), device_with_npu("ethos-u55-256"));
}

TEST_F(Static, ByEveryTechniqueAndInOutputBatches) {
  std::map<std::pair<int, bool>, int> plans;  // by technique, and whether in output batches
  for (std::uint64_t seed = 0; seed < 400 && !HasFailure(); ++seed)
    for (const char* kind : {"CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV"}) {
      SCOPED_TRACE(std::string(kind) + ", seed " + std::to_string(seed));
      Diagnostics diags;
      auto n = nn::finish_network(
          nn::random_ops::network_of(nn::random_ops::draw(kind, nn::random_ops::Mode::tflite, seed)), diags, kind);
      if (!n || n->operators.size() != 1) continue;
      test::Random random(seed);
      if (std::string(kind) == "DEPTHWISE_CONV_2D") n = test::with_separable_filters(*n, random);
      auto d = std::make_shared<hw::Device>(*test::random_device(random));
      auto& engine = d->engines[static_cast<std::size_t>(d->compute_engine())];
      engine.macs_per_cycle["int16"] = {2, 1};
      for (const auto& name : nn::technique_names()) engine.techniques[name] = {3, 1};
      const bool batched = seed % 2 == 0;
      if (batched) d = std::make_shared<hw::Device>(*test::with_batches(*d, random));
      for (const int t : nn::techniques_of(*n, n->operators[0])) {
        if (plans[{t, batched}] >= 3) continue;
        auto choices = test::random_choices(random, *n, *d, true);
        for (auto& c : choices) c.technique = t, c.batches = test::pick(random, 1, 20);
        const auto made = plan::make_plan(*n, *d, std::move(choices));
        if (const auto* plan = std::get_if<plan::Plan>(&made)) compute(*n, *d, *plan, seed), ++plans[{t, batched}];
      }
    }
  EXPECT_EQ(plans.size(), 2 * static_cast<std::size_t>(DSE_TECHNIQUES));
  for (const char* kernel : {"dse_in_batches", "dse_im2row", "dse_winograd", "dse_separable", "dse_transposed"})
    EXPECT_GT(used_[kernel], 0) << kernel;
}

TEST_F(Static, WithFactorsOfBatches) {
  int plans = 0;
  for (unsigned seed = 0; plans < 12 && seed < 200 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const auto d = test::random_device(random);
    plans += compute_some(*nn::test::drawn_chain_with_factors(seed), *d, random, seed);
  }
  EXPECT_EQ(plans, 12);
  EXPECT_GT(used_["dse_compensated"], 2);
}

}  // namespace
}  // namespace dse::static_style_test
