// What dse quantize says of a network that it has quantised.
#pragma once
#include <string>

#include "models/nn/quantizer/quantizer.h"

namespace dse::cli {

/// As it was asked for, and on how many samples it was compared with float.
struct QuantizeWords {
  std::string scheme, bits, out;
  std::size_t samples = 0;
};
/// As JSON.
void print_quantized(const QuantizeWords& o, const nn::quantizer::Quantized& made,
                     const nn::quantizer::Fidelity& total);
/// As a table.
void print_quantized_text(const QuantizeWords& o, const nn::quantizer::Quantized& made,
                          const nn::quantizer::Fidelity& total);

}  // namespace dse::cli
