// What the operators with weights share: types of each mode, weights, biases, the records of DSE_QPARAMS.
#pragma once
#include <optional>

#include "models/nn/derive/derive.h"

namespace dse::nn {

/// n of a Q format: scale 2^-n, |n| <= 100. Empty: not a power of two.
std::optional<int> fraction_bits(float scale);

/// Shift t of a Q format's store from n_x + n_w and n_y fraction bits; within what dse_shift_round() takes.
bool check_qformat_shift(Derivation& d, int t);

/// Checks that input, weights and output have types that the operator's mode knows; sets types, zero points, rounding
/// and accumulator of `op.kernel`.
bool derive_weighted_types(Derivation& d);

/// Output extent of a window and the padding before it, by the operator's padding options. @returns empty and says so
/// when the window does not fit.
struct Placement {
  std::int64_t out, before;
};
std::optional<Placement> place_window(Derivation& d, std::int64_t in, std::int64_t kernel, int stride, int dilation,
                                      int pad_before, int pad_after);

/// [N, H, W, C], computed channels last.
bool derive_image(Derivation& d, int index, const char* role);

/// Makes `op.kernel`, which computes one image, a call per image of the batch.
bool call_per_image(Derivation& d);

/// Dynamic rescaling: sets what `op.kernel` says of factors (kernels/dse_factors.h); its types, extents and parameters
/// are derived already. Factors belong to one image: the batch must be 1.
bool derive_factors(Derivation& d);
/// Gives the operator's only call the factors as operands.
void bind_factors(Derivation& d);

}  // namespace dse::nn
