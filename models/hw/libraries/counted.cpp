#include "models/hw/libraries/counted.h"

#include "base/diagnostics.h"
#include "models/hw/clocking.h"

namespace dse::hw {

namespace {

std::vector<Ratio> rates_of(const std::map<std::string, Ratio>& table, const std::vector<std::string>& names) {
  std::vector<Ratio> out;
  for (const auto& name : names) {
    const auto it = table.find(name);
    ensure(it != table.end(), "an engine without cycles per " + name);
    out.push_back(it->second);
  }
  return out;
}

std::int64_t price_of(std::int64_t n, const Ratio& rate, std::int64_t shares = 1) {
  return n > 0 && !rate.zero() ? scale_up(n, rate.num, rate.den * shares) : 0;
}

}  // namespace

CountedLibrary::CountedLibrary(const Engine& e, const std::vector<std::string>& names,
                               const std::vector<std::string>& wide_names)
    : rates_(rates_of(e.cycles_per_count, names)), rest_(e) {
  if (!e.cycles_per_count_int16.empty()) wide_rates_ = rates_of(e.cycles_per_count_int16, wide_names);
}

std::int64_t CountedLibrary::price(std::size_t count, std::int64_t n, std::int64_t shares, bool wide) const {
  return price_of(n, (wide ? wide_rates_ : rates_)[count], shares);
}

std::int64_t CountedLibrary::price(const LoopCounts& counts) const {
  const auto& rates = counts.wide() ? wide_rates_ : rates_;
  std::int64_t cycles = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) cycles += price_of(counts[k], rates[k]);
  return cycles;
}

std::int64_t CountedLibrary::cycles(const program::CallWork& work) const {
  const auto c = count(work);
  return timed(c) ? price(c) + rest_.factor_cycles(work) : rest_.cycles(work);
}

std::int64_t CountedLibrary::least_cycles(const program::CallWork& work) const {
  const auto c = count(work);
  return timed(c) ? least(work, c) : rest_.least_cycles(work);
}

}  // namespace dse::hw
