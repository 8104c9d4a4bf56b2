#include "plan/npu/weights/palette.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "base/index.h"

namespace dse::plan::npu {
namespace {

constexpr int kMostEntries = 32, kOffset = 256;
constexpr int kZeroRunsFrom = 4;  // zeros must be so many times as frequent as the next value

std::size_t slot(int weight) { return index(weight + kOffset); }
int coded(int weight) { return std::abs(weight) * 2 + (weight < 0 ? 1 : 0); }
int weight_of(int coded) { return coded & 1 ? -(coded >> 1) : coded >> 1; }

/// Bits that tell `n` entries apart.
int bits_for(int n) { return n <= 1 ? 0 : std::bit_width(static_cast<unsigned>(n - 1)); }

/// Follows the stream and decides where sections start.
class Sections {
 public:
  explicit Sections(std::span<const std::int16_t> w) : w_(w) { last_.fill(-1); }

  std::vector<std::size_t> run() && {
    for (int i = 0; i < static_cast<int>(w_.size()); ++i) step(i);
    return std::move(starts_);
  }

 private:
  int values_since(int i) const { return i - start_ - zeros_; }

  void step(int i) {
    const int without_zero = zeros_ > (i - start_) / 4 ? 1 : 0;
    if (has_palette_ && last_[slot(w_[index(i)])] < start_) {
      ++size_;
      const int entries = size_ - 1 - without_zero;
      const bool another_bit = (entries & (entries - 1)) == 0;
      if (another_bit && (values_since(i) > 512 || size_ - without_zero > kMostEntries)) {
        starts_.push_back(index(i));
        start_ = i, has_palette_ = false, zeros_ = 0;
      }
    }
    last_[slot(w_[index(i)])] = i;
    if (w_[index(i)] == 0) ++zeros_;
    for (const int window : {32, 64, 128, 256, 512}) {
      const int n = window * (has_palette_ ? 2 : 1), values = values_since(i);
      if (values > 0 && values % n == 0) look_back(i, n, without_zero);
    }
  }

  /// Whether the last `n` values that are not zero would do with a palette of fewer bits.
  void look_back(int i, int n, int without_zero) {
    int from = i;
    for (int seen = 0; from > start_; --from)
      if (w_[index(from)] != 0 && seen++ == n + 1) break;
    const int size = static_cast<int>(std::count_if(last_.begin(), last_.end(), [&](int at) { return at >= from; }));
    const int bits = bits_for(size - without_zero), cost = size * 8 + 20;
    bool better = false;
    if (has_palette_)
      better = n * (bits_for(size_ - without_zero) * 15 - bits * 15) / 16 - cost > 0;
    else
      better = size - without_zero <= kMostEntries && n * (90 - bits * 15) / 16 - cost > 0;
    if (!better) return;
    size_ = size, has_palette_ = true, start_ = from;
    if (starts_.back() != index(from)) starts_.push_back(index(from));
    zeros_ = static_cast<int>(std::count(w_.begin() + from, w_.begin() + i + 1, 0));
  }

  std::span<const std::int16_t> w_;
  std::array<int, 512> last_{};  // position of each weight's last occurrence
  std::vector<std::size_t> starts_{0};
  int start_ = 0, size_ = 0, zeros_ = 0;
  bool has_palette_ = false;
};

}  // namespace

std::vector<std::size_t> section_starts(std::span<const std::int16_t> weights) { return Sections(weights).run(); }

Palette palette_of(std::span<const std::int16_t> section) {
  std::array<int, 512> count{};
  for (const std::int16_t w : section) ++count[slot(w)];
  std::size_t first = 0;
  int most = 0, next = 0;
  for (std::size_t i = 0; i < count.size(); ++i) {
    if (count[i] > most)
      next = most, most = count[i], first = i;
    else
      next = std::max(next, count[i]);
  }
  Palette p;
  p.zero_runs = first == slot(0) && most > kZeroRunsFrom * next;

  std::vector<std::pair<int, int>> by_count;  // how often, which
  int all = 0, largest = 0;
  std::array<int, 512> of_code{};
  for (int w = -255; w <= 255; ++w) {
    const int n = w == 0 && p.zero_runs ? 0 : count[slot(w)];
    of_code[index(coded(w))] = n;
    all += n;
    if (n == 0) continue;
    by_count.emplace_back(n, coded(w));
    largest = std::max(largest, coded(w));
  }
  while (p.direct_offset < 31 && of_code[index(p.direct_offset)] == 0) ++p.direct_offset;
  std::sort(by_count.rbegin(), by_count.rend());
  p.only_zeros = by_count.empty();
  if (p.only_zeros) p.direct_offset = 0;
  p.complete = !by_count.empty() && by_count.size() <= kMostEntries;
  int room = kMostEntries;
  if (!p.complete) {
    room = std::min(kMostEntries, 511 - largest);  // what is not an entry must stay below 512
    if (room == 1) room = 0;
  }
  int covered = 0, largest_entry = 0;
  for (const auto& [n, code] : by_count) {
    if (static_cast<int>(p.entries.size()) == room) break;
    p.entries.push_back(code), covered += n, largest_entry = std::max(largest_entry, code);
  }
  if (p.entries.size() == 1) p.entries.push_back(0);  // there is no palette of one
  const bool pays = covered > all / 2;
  if (!pays) p.entries.clear();
  while ((1 << p.bits) <= (pays ? largest_entry : largest)) ++p.bits;

  for (int code = 0; code < 512; ++code) {
    const int w = weight_of(code);
    if (w >= -kOffset && w < kOffset) p.index_of[slot(w)] = code + static_cast<int>(p.entries.size()) - p.direct_offset;
  }
  for (std::size_t i = 0; i < p.entries.size(); ++i) p.index_of[slot(weight_of(p.entries[i]))] = static_cast<int>(i);
  return p;
}

}  // namespace dse::plan::npu
