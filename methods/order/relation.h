// Who is related to whom: what must run before or after what, a bit each.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dse::plan::order {

/// Square bit matrix over operators or nodes, empty at first; n * n / 8 bytes.
class Relation {
 public:
  explicit Relation(std::size_t n) : words_((n + 63) / 64), bits_(n * words_) {}
  bool has(int row, int column) const { return bits_[first(row) + word(column)] >> (column % 64) & 1; }
  void add(int row, int column) { bits_[first(row) + word(column)] |= std::uint64_t{1} << (column % 64); }
  /// Everything that `other` has.
  void add_all(int row, int other) {
    for (std::size_t w = 0; w < words_; ++w) bits_[first(row) + w] |= bits_[first(other) + w];
  }

 private:
  std::size_t first(int row) const { return static_cast<std::size_t>(row) * words_; }
  static std::size_t word(int column) { return static_cast<std::size_t>(column) / 64; }
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace dse::plan::order
