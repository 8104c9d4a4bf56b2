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
  const std::int64_t around = banks_ * word_, apart = std::gcd(step, around), some = std::min(runs, around / apart);
  std::int64_t most = 0;  // words of a bank, of `some` runs
  if (apart % word_ == 0 && around / apart <= runs) {
    most = ceil_div(each, apart / word_);  // runs begin in every bank that is so many from the one before
  } else {
    std::array<std::int32_t, 1024> load;  // the most banks that a device file may say
    std::fill_n(load.begin(), banks_, 0);
    for (std::int64_t i = 0, at = 0; i < some; ++i, at = (at + step) % around)
      for (std::int64_t k = 0; k < each; ++k)
        most = std::max<std::int64_t>(most, ++load[static_cast<std::size_t>((at / word_ + k) % banks_)]);
  }
  return ceil_div(runs * std::max(some * each, most * words_) * word_, some);
}

}  // namespace dse::hw
