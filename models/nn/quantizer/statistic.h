// Ranges of values by a statistic.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dse::nn::quantizer {

/// Which range of a set of values a format has to hold.
struct Statistic {
  enum class Kind { max, percentile, sigma };
  Kind kind = Kind::max;
  /// percentile: the share in percent that must lie inside, at least 50; sigma: k of mean +- k standard deviations.
  double parameter = 0;
  /// "max", "percentile:99.9", "sigma:4".
  std::string text() const;
};
/// Reads what Statistic::text() writes. Empty: not understood.
std::optional<Statistic> statistic_from(const std::string& text);

struct Range {
  double min = 0, max = 0;
  double largest() const;  // magnitude
};
/// The smallest range that holds both.
Range joined(const Range& a, const Range& b);

/// Collects values, any number, in bounded memory: extremes, moments, and a histogram of 4096 bins around 0 whose width
/// doubles whenever a value lies outside. The result does not depend on how values are cut into calls.
class Observer {
 public:
  void add(std::span<const float> values);
  std::int64_t count() const { return count_; }
  bool finite() const { return finite_; }  // no NaN, no infinity was seen
  Range extremes() const { return {min_, max_}; }
  /// The range by the statistic, never wider than the extremes; {0, 0} without values. The percentile p cuts (100 -
  /// p)/2 percent on either side, exact to the width of a bin (the extremes' magnitude / 1024 at most).
  Range range(const Statistic& statistic) const;

 private:
  static constexpr int half = 2048;
  void count_in_bin(double v);
  std::array<std::int64_t, 2 * half> bins_{};
  double width_ = 0x1p-40;
  double min_ = 0, max_ = 0, sum_ = 0, squares_ = 0;
  std::int64_t count_ = 0;
  bool finite_ = true;
};

}  // namespace dse::nn::quantizer
