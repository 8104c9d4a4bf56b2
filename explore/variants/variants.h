// Variants of a network: other block sizes, widths, bits and domains, each with weights of its own and its accuracy.
#pragma once
#include <string>
#include <vector>

#include "explore/question/sweep.h"
#include "explore/variants/options.h"

namespace dse::explore {

/// Makes every combination of the axes as a .dsenet file in integers, in order; the first axis moves slowest.
///  * A network in words, with data: each is trained as its file says. Without: the dense network of the same widths,
///    with the weights that its seed draws, is projected onto the blocks, and the accuracy is a proxy: one less the
///    relative error of all layers.
///  * A network with weights: its dense layers are projected onto the blocks, and fine-tuned where `epochs` are given
///    with data. Its accuracy is measured with data, else it is the proxy.
/// Then weights and activations become integers: `bits` 8 by TensorFlow Lite's scheme, 16 by Q formats; circulant
/// layers in the `domain` asked for, as far as their blocks can be transformed. What that does not change is no further
/// variant. Accuracy is of the integers, on the test part.
/// @returns nothing on error, or when it was interrupted.
std::vector<NetworkSpec> make_variants(const VariantSpec& spec, const VariantOptions& options, Diagnostics& diags);

}  // namespace dse::explore
