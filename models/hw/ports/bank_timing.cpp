#include "models/hw/ports/bank_timing.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/units.h"

namespace dse::hw {

BankTiming::BankTiming(const Memory& memory)
    : word_(memory.bank_word),
      banks_(memory.banks),
      words_(word_ > 0 && banks_ > 1
                 ? std::clamp<std::int64_t>(memory.width.num / (memory.width.den * word_), 1, banks_)
                 : 1) {}

std::int64_t BankTiming::port_bytes(std::int64_t bytes, const program::Spread& spread) const {
  if (!conflicts() || spread.run <= 0 || spread.step == 0 || bytes <= spread.run) return bytes;
  const std::int64_t each = ceil_div(spread.run, word_);  // words of a run
  const std::int64_t runs = bytes / spread.run, step = spread.step < 0 ? -spread.step : spread.step;
  // Several runs share a word: as if all between them were moved.
  if (step < each * word_) return std::max(bytes, std::min(runs * step, runs * each * word_));
  const std::int64_t around = banks_ * word_, some = std::min(runs, around / std::gcd(step, around));
  std::array<std::int64_t, 1024> load{};  // the most banks that a device file may say; words of `some` runs
  std::int64_t most = 0;
  for (std::int64_t i = 0; i < some; ++i)
    for (std::int64_t k = 0; k < each; ++k)
      most = std::max(most, ++load[static_cast<std::size_t>((i * step / word_ + k) % banks_)]);
  return ceil_div(runs * std::max(some * each, most * words_) * word_, some);
}

}  // namespace dse::hw
