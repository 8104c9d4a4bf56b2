// Byte encoding of a program: what the package ships and the C runtime decodes. The format is described in docs/package.md.
#pragma once
#include <cstdint>
#include <vector>

#include "program/program.h"

namespace dse::program {

class Encoder {
 public:
  void u8(std::uint8_t v) { bytes_.push_back(v); }
  void varint(std::uint64_t v);          // LEB128
  void svarint(std::int64_t v);          // zigzag + LEB128
  void view(const View& v);              // compact: defaults are omitted by a presence mask
  void range(const Range& r);
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
};

/// The whole program: arenas, queues, operators, instructions with their templates inline, ports, preloads. Names are left out.
std::vector<std::uint8_t> encode(const Program& program);

}  // namespace dse::program
