#include "models/nn/quantizer/statistic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace dse::nn::quantizer {

std::string Statistic::text() const {
  if (kind == Kind::max) return "max";
  return fmt::format("{}:{}", kind == Kind::percentile ? "percentile" : "sigma", parameter);
}

std::optional<Statistic> statistic_from(const std::string& text) {
  if (text == "max") return Statistic{};
  const auto colon = text.find(':');
  if (colon == std::string::npos || colon + 1 == text.size()) return std::nullopt;
  const std::string name = text.substr(0, colon), number = text.substr(colon + 1);
  char* end = nullptr;
  const double v = std::strtod(number.c_str(), &end);
  if (*end != 0 || !std::isfinite(v)) return std::nullopt;
  if (name == "percentile" && v >= 50 && v <= 100) return Statistic{Statistic::Kind::percentile, v};
  if (name == "sigma" && v > 0) return Statistic{Statistic::Kind::sigma, v};
  return std::nullopt;
}

double Range::largest() const { return std::max(std::abs(min), std::abs(max)); }
Range joined(const Range& a, const Range& b) { return {std::min(a.min, b.min), std::max(a.max, b.max)}; }

void Observer::add(std::span<const float> values) {
  for (const float f : values) {
    const auto v = static_cast<double>(f);
    if (!std::isfinite(v)) {
      finite_ = false;
      continue;
    }
    min_ = count_ ? std::min(min_, v) : v;
    max_ = count_ ? std::max(max_, v) : v;
    ++count_;
    sum_ += v;
    squares_ += v * v;
    count_in_bin(v);
  }
}

void Observer::count_in_bin(double v) {
  while (v >= half * width_ || v < -half * width_) {
    // Two neighbours become one; bins -2k and -2k + 1 of the negative side stay on theirs.
    std::array<std::int64_t, 2 * half> wider{};
    for (int i = -half; i < half; ++i)
      wider[static_cast<std::size_t>(half + (i >= 0 ? i / 2 : (i - 1) / 2))] +=
          bins_[static_cast<std::size_t>(half + i)];
    bins_ = wider;
    width_ *= 2;
  }
  ++bins_[static_cast<std::size_t>(half + static_cast<int>(std::floor(v / width_)))];
}

Range Observer::range(const Statistic& statistic) const {
  if (count_ == 0) return {};
  Range r = extremes();
  if (statistic.kind == Statistic::Kind::sigma) {
    const double n = static_cast<double>(count_), mean = sum_ / n;
    const double reach = statistic.parameter * std::sqrt(std::max(0.0, squares_ / n - mean * mean));
    r = {std::max(r.min, mean - reach), std::min(r.max, mean + reach)};
  } else if (statistic.kind == Statistic::Kind::percentile) {
    const auto cut = static_cast<std::int64_t>(static_cast<double>(count_) * (100.0 - statistic.parameter) / 200.0);
    std::int64_t below = 0, above = 0;
    int lo = 0, hi = 2 * half - 1;
    while (lo < hi && below + bins_[static_cast<std::size_t>(lo)] <= cut)
      below += bins_[static_cast<std::size_t>(lo++)];
    while (hi > lo && above + bins_[static_cast<std::size_t>(hi)] <= cut)
      above += bins_[static_cast<std::size_t>(hi--)];
    r = {std::max(r.min, (lo - half) * width_), std::min(r.max, (hi + 1 - half) * width_)};
  }
  return r;
}

}  // namespace dse::nn::quantizer
