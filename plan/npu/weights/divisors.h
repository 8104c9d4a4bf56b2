// Which Golomb-Rice code goes over which part of a stream: the way with the fewest bits, where a change costs a slice's
// header.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace dse::plan::npu {

/// A code: value >> divisor in unary, the rest as it is. truncated: the quotient is 0, 1 or 2. plain: the value as it
/// is.
struct Code {
  int divisor = 0;
  bool truncated = false, plain = false;
};
std::span<const Code> value_codes();     // of weights, or of their places in the palette
std::span<const Code> zero_run_codes();  // of lengths of runs of zeros

/// A code and the first value that it does not go over any more.
struct Stretch {
  std::size_t code = 0, end = 0;
};

/// `plain_bits`: of a value as it is; more than any value has where that is not possible. `free_at`: where a change
/// costs nothing, since another stream changes there.
std::vector<Stretch> stretches(std::span<const int> values, std::span<const Code> codes, int plain_bits,
                               std::span<const Stretch> free_at = {});

}  // namespace dse::plan::npu
