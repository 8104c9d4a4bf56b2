#include "models/hw/fields/transforms.h"

#include "models/nn/kernels/dse_circulant.h"

namespace dse::hw {

namespace {

/// Powers of two that transforms of 16 bits can have.
std::vector<std::string> transform_lengths() {
  std::vector<std::string> out;
  for (int n = 2; n <= DSE_LARGEST_TRANSFORM; n *= 2) out.push_back(std::to_string(n));
  return out;
}

}  // namespace

void transform_fields(yaml::Object<EngineText>& o) {
  o.optional("cycles_per_transform", &EngineText::cycles_per_transform,
             yaml::table_of(yaml::rational(unit::ratio, {0, 1}, {100000000, 1}), "length", transform_lengths()),
             "of block-circulant layers in the frequency domain: cycles of a real Fourier transform of 16 bits, by its "
             "length. Other lengths n go by n log2 n from the nearest. Without it a cpu takes a multiply-accumulate "
             "per operation, and an array cannot transform");
  o.optional(
      "cycles_per_complex_mac", [](EngineText & t) -> auto& { return t.fixed.cycles_per_complex_mac; },
      yaml::rational(unit::ratio, {0, 1}, {10000, 1}),
      "with `cycles_per_transform`: per complex multiply-accumulate of spectra, of which there are half as many "
      "as a block has elements");
}

}  // namespace dse::hw
