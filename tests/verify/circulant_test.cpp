// Random chains of circulant and dense layers, as integers in either domain, planned at random on random devices: the
// programs are valid and make the bytes of the interpreter.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/nn/import.h"
#include "models/nn/quantizer/quantizer.h"
#include "plan/make/make_plan.h"
#include "tests/support/random_cases.h"
#include "tests/verify/simulated.h"

namespace dse::verify::circulant_test {
namespace {

using test::pick;

/// One to three convolutions, a pool now and then, one or two fully connected layers.
std::string chain(test::Random& random) {
  std::string text = fmt::format("format: 1\nname: chain\nseed: {}\ninput: {{shape: [1, {}, {}, {}]}}\nlayers:\n",
                                 pick(random, 1, 1000), pick(random, 3, 7), pick(random, 3, 7), pick(random, 2, 20));
  const auto block = [&](int most) {
    return pick(random, 0, 1) ? 1 << pick(random, 1, 4) : pick(random, 1, std::max(1, most));
  };
  for (int i = pick(random, 1, 3); i > 0; --i) {
    const int filters = pick(random, 16, 24);
    text += fmt::format(
        "  - conv: {{filters: {}, kernel: [{}, {}], stride: {}, dilation: {}, block: {}, activation: {}}}\n", filters,
        pick(random, 1, 3), pick(random, 1, 3), pick(random, 1, 2), pick(random, 1, 2), block(filters),
        pick(random, 0, 1) ? "relu" : "none");
  }
  if (pick(random, 0, 1)) text += "  - max_pool: {kernel: 1}\n";
  const int units = pick(random, 16, 40);
  text += fmt::format("  - fully_connected: {{units: {}, block: {}, activation: relu6}}\n", units, block(units));
  text += fmt::format("  - fully_connected: {{units: {}, block: {}, bias: false}}\n", pick(random, 16, 30), block(16));
  return text;
}

nn::NetworkPtr integers(const std::string& text, bool spectral, int bits) {
  namespace q = nn::quantizer;
  Diagnostics d;
  const auto real = nn::import_yaml(text, "chain.yaml", d, nn::LoadOptions::floating());
  q::QuantizeOptions options;
  options.scheme = bits == 0 ? q::Scheme::tflite_int8 : q::Scheme::q_format;
  options.bits = bits == 0 ? 8 : bits, options.spectral = spectral;
  const auto prepared = real ? q::prepare(*real, options, "chain.yaml", d) : nullptr;
  if (!prepared) {
    ADD_FAILURE() << text << d.text();
    return nullptr;
  }
  const auto observed = q::observe(*prepared, q::synthetic_samples(*prepared, 2, 1));
  const std::vector<int> each(prepared->operators.size(), options.bits);
  auto made = q::quantize(*prepared, observed, options, each, "chain.yaml", d);
  EXPECT_TRUE(made.network) << text << d.text();
  return made.network;
}

TEST(CirculantPlans, MakeTheBytesOfTheInterpreter) {
  int planned = 0, transformed = 0;
  for (std::uint64_t seed = 0; seed < 240; ++seed) {
    test::Random random(seed);
    const std::string text = chain(random);
    const bool spectral = seed % 2 == 0;
    const auto network = integers(text, spectral, static_cast<int>(seed % 3) * 8);
    if (!network) continue;
    auto device = std::make_shared<hw::Device>(*test::random_device(random));
    auto& engine = device->engines[static_cast<std::size_t>(device->compute_engine())];
    engine.macs_per_cycle["int16"] = {2, 1};
    if (pick(random, 0, 3) > 0)
      engine.cycles_per_transform = {{"16", {500, 1}}}, engine.cycles_per_complex_mac = {4, 1};
    for (int tries = 0; tries < 4; ++tries) {
      auto made = plan::make_plan(*network, *device, test::random_choices(random, *network, *device, true));
      const auto* plan = std::get_if<plan::Plan>(&made);
      if (!plan) continue;
      ASSERT_EQ(test::fault_of(*network, device, *plan), "") << seed << '\n' << text;
      ++planned;
      for (const auto& op : network->operators) transformed += op.options.spectral;
    }
  }
  fmt::print("{} plans, {} layers in the frequency domain\n", planned, transformed);
  EXPECT_GE(planned, 200);
  EXPECT_GE(transformed, 200);
}

}  // namespace
}  // namespace dse::verify::circulant_test
