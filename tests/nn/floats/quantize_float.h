// Shipped networks in float, and what post-training quantisation makes of them.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/nn/import.h"
#include "models/nn/quantizer/quantizer.h"

namespace dse::nn::quantizer::test {

inline NetworkPtr load_float(const std::string& name) {
  Diagnostics d;
  LoadOptions options;
  options.prefer_float = true;
  const auto n = load_network(std::string(DSE_SOURCE_DIR) + "/configs/networks/" + name + ".yaml", d, options);
  EXPECT_TRUE(n) << d.text();
  return n;
}

struct Result {
  Quantized quantized;
  Fidelity fidelity;
};

/// Bits 0: chosen, for `goal`.
inline Result quantized(const Network& floating, const QuantizeOptions& options, const BitsGoal& goal = {},
                        int count = 8) {
  Diagnostics d;
  const auto prepared = prepare(floating, options, "test", d);
  EXPECT_TRUE(prepared) << d.text();
  if (!prepared) return {};
  const auto samples = synthetic_samples(*prepared, count, 1);
  const auto observed = observe(*prepared, samples);
  auto bits = std::vector<int>(prepared->operators.size(), options.bits);
  if (options.bits == 0) bits = choose_bits(*prepared, observed, samples, options, goal, "test", d);
  Result r{quantize(*prepared, observed, options, bits, "test", d), {}};
  EXPECT_TRUE(r.quantized.network) << d.text();
  if (r.quantized.network) r.fidelity = measure(*prepared, r.quantized, synthetic_samples(*prepared, count, 2));
  return r;
}

}  // namespace dse::nn::quantizer::test
