#include "plan/npu/weights/divisors.h"

#include <algorithm>
#include <array>
#include <limits>

namespace dse::plan::npu {
namespace {

constexpr Code kValueCodes[] = {{0, false, false}, {1, false, false}, {2, false, false}, {3, false, false},
                                {4, false, false}, {5, false, false}, {0, true, false},  {1, true, false},
                                {2, true, false},  {3, true, false},  {4, true, false},  {5, true, false},
                                {0, false, true}};
constexpr Code kZeroRunCodes[] = {{0, false, false}, {1, false, false}, {2, false, false}, {3, false, false}};
constexpr int kHeaderBits = 40, kNever = 10000;

int bits_of(const Code& code, int value, int plain_bits, bool of_runs) {
  if (code.plain) return plain_bits;
  const int quotient = value >> code.divisor;
  if (!of_runs && ((code.truncated && quotient > 2) || quotient > 31)) return kNever;
  return (code.truncated ? std::min(quotient + 1, 2) : quotient + 1) + code.divisor;
}

}  // namespace

std::span<const Code> value_codes() { return kValueCodes; }
std::span<const Code> zero_run_codes() { return kZeroRunCodes; }

std::vector<Stretch> stretches(std::span<const int> values, std::span<const Code> codes, int plain_bits,
                               std::span<const Stretch> free_at) {
  const std::size_t n = codes.size(), last = values.size();
  const bool of_runs = codes.data() == kZeroRunCodes;
  std::array<int, std::size(kValueCodes)> bits{};
  std::vector<std::uint8_t> before((last + 1) * n);  // the code before each value, by the code after it
  const auto from = [&](std::size_t i, std::size_t code) -> std::uint8_t& { return before[i * n + code]; };
  for (std::size_t j = 0; j < n; ++j) from(0, j) = static_cast<std::uint8_t>(j);
  const auto least = [&] {
    return static_cast<std::size_t>(std::min_element(bits.begin(), bits.begin() + static_cast<std::ptrdiff_t>(n)) -
                                    bits.begin());
  };
  std::size_t next_free = 0;
  for (std::size_t i = 0; i < last; ++i) {
    const std::size_t best = least();
    int change = bits[best] + kHeaderBits;
    if (next_free < free_at.size() && free_at[next_free].end == i + 1) change -= kHeaderBits, ++next_free;
    for (std::size_t j = 0; j < n; ++j) {
      const bool changes = change < bits[j];
      from(i + 1, j) = static_cast<std::uint8_t>(changes ? best : j);
      bits[j] = (changes ? change : bits[j]) + bits_of(codes[j], values[i], plain_bits, of_runs);
    }
  }
  std::vector<Stretch> out;
  std::size_t code = least(), end = last;
  for (std::size_t i = last + 1; i-- > 0;) {
    if (from(i, code) == code && i > 0) continue;
    out.push_back({code, end});
    code = from(i, code);
    if (i > 0) end = i - 1;
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace dse::plan::npu
