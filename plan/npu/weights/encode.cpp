#include "plan/npu/weights/encode.h"

#include <algorithm>
#include <array>

#include "base/index.h"
#include "base/units.h"
#include "plan/npu/weights/divisors.h"
#include "plan/npu/weights/palette.h"

namespace dse::plan::npu {
namespace {

constexpr int kNoRuns = 6, kEnd = 7;  // as the divisor of runs
constexpr int kPlain = 7;             // as the divisor of values
constexpr int kLongestSlice = 32767, kUnaryBits = 12, kShortUnaryBits = 8;
constexpr int kNoPlain = 100;

class Bits {
 public:
  void put(int count, unsigned value) {
    for (int i = 0; i < count; ++i, ++size_) {
      if (size_ % 8 == 0) bytes_.push_back(0);
      bytes_.back() = static_cast<std::uint8_t>(bytes_.back() | ((value >> i & 1u) << (size_ % 8)));
    }
  }
  void align() {
    while (size_ % 128) put(1, 1);
  }
  std::vector<std::uint8_t> take() && { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t size_ = 0;
};

/// Values on their way into chunks: quotients in unary, twelve bits at a time, remainders a chunk later.
class Chunks {
 public:
  Chunks(std::span<const int> values, const Code& code, int bits, int unary_bits, bool pairs)
      : values_(values),
        divisor_(code.plain ? bits : code.divisor),
        unary_bits_(unary_bits),
        pairs_(pairs),
        code_(code) {}

  std::size_t done() const { return done_; }
  bool left() const { return done_ < values_.size(); }

  /// Fills a chunk; the one before becomes the one whose remainders are due.
  void fill(bool enabled) {
    due_ = now_, due_count_ = now_count_, was_ = is_;
    is_ = enabled, now_count_ = 0;
    first_ = second_ = 0, second_bits_ = 0;
    if (!enabled) return;
    for (int bit = 0; bit < unary_bits_;) {
      if (quotient_ < 0) load();
      for (; quotient_ >= 0 && bit < unary_bits_; ++bit) {
        if (quotient_ > 0) first_ |= 1u << bit;
        if (pairs_ && quotient_ > 0) second_ |= (quotient_ > 1 ? 1u : 0u) << second_bits_++;
        quotient_ -= !pairs_ ? 1 : code_.truncated ? 3 : 2;
      }
      if (quotient_ < 0 && !filler_) now_[index(now_count_++)] = remainder_, ++done_;
    }
  }
  bool enabled() const { return is_; }
  void put_first(Bits& to) const { to.put(unary_bits_, first_); }
  void put_second(Bits& to) const { to.put(second_bits_, second_); }
  void put_due(Bits& to) const {
    for (int i = 0; was_ && i < due_count_; ++i) to.put(divisor_, due_[index(i)]);
  }

 private:
  void load() {
    filler_ = done_ >= values_.size();
    quotient_ = filler_ ? 0 : values_[done_] >> divisor_;
    remainder_ = filler_ ? 0 : static_cast<unsigned>(values_[done_] & ((1 << divisor_) - 1));
  }

  std::span<const int> values_;
  int divisor_, unary_bits_;
  bool pairs_;
  Code code_;
  std::size_t done_ = 0;
  int quotient_ = -1;
  unsigned remainder_ = 0;
  bool filler_ = false, is_ = false, was_ = false;
  unsigned first_ = 0, second_ = 0;
  int second_bits_ = 0, now_count_ = 0, due_count_ = 0;
  std::array<unsigned, kUnaryBits> now_{}, due_{};
};

void put_header(Bits& to, std::size_t values, const Palette& p, const Code& value_code, const Code& run_code,
                bool new_palette) {
  to.put(3, static_cast<unsigned>(p.zero_runs ? run_code.divisor : kNoRuns));
  to.put(15, static_cast<unsigned>(values - 1));
  to.put(3, static_cast<unsigned>(value_code.plain ? kPlain : value_code.divisor));
  to.put(1, value_code.truncated ? 1 : 0);
  to.put(1, new_palette ? 1 : 0);
  if (!new_palette) return;
  to.put(5, static_cast<unsigned>(p.direct_offset));
  to.put(5, static_cast<unsigned>(std::max<int>(0, static_cast<int>(p.entries.size()) - 1)));
  to.put(3, static_cast<unsigned>(p.bits - 2));
  for (const int entry : p.entries) to.put(p.bits, static_cast<unsigned>(entry));
}

void put_slice(Bits& to, std::span<const int> values, std::span<const int> runs, const Palette& p,
               const Code& value_code, const Code& run_code, int plain_bits, bool new_palette) {
  put_header(to, values.size(), p, value_code, run_code, new_palette);
  const int unary = value_code.plain && plain_bits > 5 ? kShortUnaryBits : kUnaryBits;
  Chunks weights(values, value_code, plain_bits, unary, true);
  Chunks zeros(runs, run_code, 0, run_code.divisor < 3 ? kUnaryBits : kShortUnaryBits, false);
  do {
    const std::int64_t ahead =
        p.zero_runs ? static_cast<std::int64_t>(weights.done()) - static_cast<std::int64_t>(zeros.done()) : 0;
    const bool more_weights = ahead < 8 && weights.left(), more_zeros = ahead >= 0 && p.zero_runs && zeros.left();
    weights.fill(more_weights), zeros.fill(more_zeros);
    if (more_weights && !value_code.plain) weights.put_first(to);
    if (more_zeros) zeros.put_first(to);
    if (more_weights && !value_code.plain) weights.put_second(to);
    weights.put_due(to), zeros.put_due(to);
  } while (weights.enabled() || zeros.enabled());
}

/// Of all values to be coded, how many bits one takes as it is; kNoPlain where it cannot be.
int plain_bits_of(const Palette& p) {
  if (p.complete) {
    int bits = 0;
    while ((std::size_t{1} << bits) < p.entries.size()) ++bits;
    return bits;
  }
  return p.entries.empty() ? p.bits : kNoPlain;
}

void put_section(Bits& to, std::span<const std::int16_t> section) {
  const Palette p = palette_of(section);
  std::vector<int> values, runs;
  for (std::size_t i = 0;;) {
    if (p.zero_runs) {
      int run = 0;  // of zeros only, the first is a value, so that there is one
      if (!p.only_zeros || i > 0)
        for (; i < section.size() && section[i] == 0; ++i) ++run;
      runs.push_back(run);
    }
    if (i == section.size()) break;
    values.push_back(p.index_of[index(section[i++] + 256)]);
  }
  const int plain_bits = plain_bits_of(p);
  const auto by_value = stretches(values, value_codes(), plain_bits);
  std::vector<Stretch> by_run{{0, runs.size()}};
  if (p.zero_runs) by_run = stretches(runs, zero_run_codes(), 0, by_value);
  std::size_t at = 0, v = 0, r = 0;
  for (bool first = true; at < values.size() || first; first = false) {
    std::size_t end = std::min(at + kLongestSlice, values.size());
    if (v < by_value.size()) end = std::min(end, by_value[v].end);
    if (p.zero_runs && r < by_run.size()) end = std::min(end, by_run[r].end);
    std::span<const int> of_runs;
    if (p.zero_runs) {
      const std::size_t from = at + (first ? 0 : 1);
      of_runs = std::span<const int>(runs).subspan(from, end - at + (first ? 1 : 0));
    }
    put_slice(to, std::span<const int>(values).subspan(at, end - at), of_runs, p,
              value_codes()[by_value[std::min(v, by_value.size() - 1)].code],
              zero_run_codes()[p.zero_runs ? by_run[std::min(r, by_run.size() - 1)].code : 0], plain_bits, first);
    if (v < by_value.size() && by_value[v].end == end) ++v;
    if (p.zero_runs && r < by_run.size() && by_run[r].end == end) ++r;
    at = end;
  }
}

}  // namespace

std::vector<std::uint8_t> encode(std::span<const std::int16_t> weights) {
  Bits out;
  const auto starts = section_starts(weights);
  for (std::size_t s = 0; s < starts.size() && !weights.empty(); ++s) {
    const std::size_t end = s + 1 < starts.size() ? starts[s + 1] : weights.size();
    if (end > starts[s]) put_section(out, weights.subspan(starts[s], end - starts[s]));
  }
  out.put(3, kEnd);
  out.align();
  return std::move(out).take();
}

}  // namespace dse::plan::npu
