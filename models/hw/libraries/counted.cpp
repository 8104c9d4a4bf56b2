#include "models/hw/libraries/counted.h"

#include "base/diagnostics.h"
#include "models/hw/clocking.h"

namespace dse::hw {

CountedLibrary::CountedLibrary(const Engine& e, const std::vector<std::string>& names) : rest_(e) {
  for (const auto& name : names) {
    const auto it = e.cycles_per_count.find(name);
    ensure(it != e.cycles_per_count.end(), "an engine without cycles per " + name);
    rates_.push_back(it->second);
  }
}

std::int64_t CountedLibrary::price(std::size_t count, std::int64_t n, std::int64_t shares) const {
  const Ratio& rate = rates_[count];
  return n > 0 && !rate.zero() ? scale_up(n, rate.num, rate.den * shares) : 0;
}

std::int64_t CountedLibrary::price(const LoopCounts& counts) const {
  std::int64_t cycles = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) cycles += price(k, counts[k]);
  return cycles;
}

std::int64_t CountedLibrary::cycles(const program::CallWork& work) const {
  const auto c = count(work);
  return c.empty() ? rest_.cycles(work) : price(c);
}

std::int64_t CountedLibrary::least_cycles(const program::CallWork& work) const {
  const auto c = count(work);
  return c.empty() ? rest_.least_cycles(work) : least(work, c);
}

}  // namespace dse::hw
