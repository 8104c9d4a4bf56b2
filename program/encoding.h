// Byte encoding of a program: what the package ships and the C runtime decodes. The format is described in
// docs/run/package.md.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "program/program.h"

namespace dse::program {

/// Newest format that encode() writes and the runtime reads.
constexpr int kPlanFormat = DSE_PLAN_FORMAT;

/// Writes payloads. Views and ranges that were written before are referred to by one byte; new ones are written as
/// differences from the most similar one. What was written is remembered in two tables of 32 entries, which the decoder
/// rebuilds as it reads.
class Encoder {
 public:
  static constexpr std::size_t kTable = DSE_TABLE;
  void u8(std::uint8_t v) { bytes_.push_back(v); }
  void varint(std::uint64_t v);  // LEB128
  void svarint(std::int64_t v);  // zigzag + LEB128
  void view(const View& v);      // compact: defaults are omitted by a presence mask
  void range(const Range& r);
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  std::vector<std::uint8_t>& bytes() { return bytes_; }
  /// Empties both tables (only outside loops: an iteration must find the tables as the one before did).
  void forget() { views_.clear(), ranges_.clear(); }
  /// Entries used of the fuller table.
  std::size_t remembered() const { return std::max(views_.size(), ranges_.size()); }

 private:
  static constexpr std::size_t kViewFields = DSE_VIEW_FIELDS;
  using ViewFields = std::array<std::int32_t, kViewFields>;
  static ViewFields fields_of(const View& v);
  static std::vector<std::uint8_t> difference(const ViewFields& v, const ViewFields& base);

  std::vector<std::uint8_t> bytes_;
  std::vector<ViewFields> views_;
  std::vector<Range> ranges_;
};

/// The whole program: arenas, queues, operators, instructions with their templates inline, ports, preloads, and how
/// many tasks and instructions one run of it takes. Names are left out.
/// @throws InvariantError when the program does not fit the format (offsets beyond 2 GiB, more than 8 arenas or 20
/// queues, sections inside loops or out of order).
std::vector<std::uint8_t> encode(const Program& program);

}  // namespace dse::program
