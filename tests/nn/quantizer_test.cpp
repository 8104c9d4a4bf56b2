// Post-training quantisation of whole networks.
#include "models/nn/quantizer/quantizer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "models/nn/fill.h"

namespace dse::nn::quantizer {
namespace {

NetworkPtr load_float(const std::string& name) {
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

Result quantized(const std::string& name, const QuantizeOptions& options) {
  Diagnostics d;
  const auto prepared = prepare(*load_float(name), options, name, d);
  EXPECT_TRUE(prepared) << d.text();
  const auto samples = synthetic_samples(*prepared, 8, 1);
  const auto observed = observe(*prepared, samples);
  const std::vector<int> bits(prepared->operators.size(), options.bits);
  Result r{quantize(*prepared, observed, options, bits, name, d), {}};
  EXPECT_TRUE(r.quantized.network) << d.text();
  if (r.quantized.network) r.fidelity = measure(*prepared, r.quantized, synthetic_samples(*prepared, 8, 2));
  for (const auto& l : r.quantized.layers)
    printf("%-20s %-14s w %-22s %6.1f dB | out [%.3g, %.3g] %s clipped %.4f %6.1f dB\n", l.name.c_str(), l.kind.c_str(),
           l.weight_format.c_str(), l.weights.sqnr(), l.range.min, l.range.max, l.format.c_str(),
           l.output.clipped_share(), l.output.sqnr());
  printf("total %.2f dB, max %.4g\n", r.fidelity.sqnr(), r.fidelity.largest_error);
  return r;
}

TEST(Quantizer, ShippedNetworksInInt8) {
  for (const char* name : {"resnet8", "ds-cnn"}) {
    QuantizeOptions o;
    const auto r = quantized(name, o);
    EXPECT_GE(r.fidelity.sqnr(), 15) << name;
  }
}

}  // namespace
}  // namespace dse::nn::quantizer
