// Sections put behind each other: header, table, sections, check bits, check of the whole.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dse::deploy {

using Bytes = std::vector<std::uint8_t>;

struct Section {
  std::uint32_t kind = 0;
  bool required = false;
  std::uint32_t number = 0;
  Bytes bytes;
};

/// The file of these sections, in their order. `parity`: with check bits behind them.
/// @throws InvariantError beyond 4 GiB.
Bytes write_container(const std::vector<Section>& sections, bool parity);

/// The first bytes of the header of a file of so many sections and bytes, as far as they do not depend on what the
/// sections hold: what encryption authenticates.
Bytes container_start(std::size_t sections, std::size_t total);
/// Bytes of the whole file.
std::size_t container_size(const std::vector<Section>& sections, bool parity);

/// "PNTS" of a kind.
std::string kind_text(std::uint32_t kind);

}  // namespace dse::deploy
