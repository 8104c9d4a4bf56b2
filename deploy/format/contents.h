// A package as one file: what it holds, written and read. The format is docs/package-format.md; the container is read
// with the runtime's own functions.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostics.h"

namespace dse::deploy {

using Bytes = std::vector<std::uint8_t>;
using ByteVectors = std::vector<Bytes>;

/// A point of the front: its encoded program, which of the images its constants are, what it promises.
struct PackedPoint {
  Bytes program;
  std::size_t image = 0;
  std::int64_t ticks = 0;  // cycles of the device's fastest clock, from the first task to the last output byte
  std::string plan;        // the plan as a document
};

struct Contents {
  std::string info;                 // what it is: JSON (docs/package-format.md)
  std::vector<PackedPoint> points;  // fastest first
  std::vector<Bytes> images;        // constants
  Bytes network;                    // .dsenet; its constants are taken from the first image where that has them
  std::string device;               // JSON: {"name", "file", "overrides": [[path, value], ...], "files": {name: text}}
  ByteVectors inputs, outputs;      // of a test vector
};

/// For a host, which can simulate it again; or for a target: points, programs, images and `info`.
enum class Audience { host, target };

/// The file. `parity`: with check bits, so that one wrong bit in every block can be corrected.
Bytes write_contents(const Contents& contents, Audience audience, bool parity);

/// Reads what write_contents() writes, of either audience. An encrypted one is refused: open it with unseal() first.
/// Every section's CRC is checked. @returns nothing, with diagnostics, when anything is wrong.
std::optional<Contents> read_contents(std::span<const std::uint8_t> bytes, const std::string& file,
                                      Diagnostics& diagnostics);

/// A line of the table of sections.
struct SectionLine {
  std::string kind;
  bool required = false, known = false, whole = false;  // whole: its CRC matches
  std::uint32_t offset = 0, bytes = 0, number = 0;
  std::uint32_t crc = 0;  // CRC-32C; of a program the one that it ends with
};
/// What a package's table says, of encrypted ones too. Empty after a diagnostic.
std::vector<SectionLine> sections_of(std::span<const std::uint8_t> bytes, const std::string& file,
                                     Diagnostics& diagnostics);
/// The INFO section, of encrypted packages too; empty: there is none.
std::string info_of(std::span<const std::uint8_t> bytes);

}  // namespace dse::deploy
