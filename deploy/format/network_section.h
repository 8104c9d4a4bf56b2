// A network inside a package: the .dsenet file less the constants that the package's image has as they are.
#pragma once
#include <optional>
#include <span>

#include "deploy/format/container.h"

namespace dse::deploy {

/// u32 bytes of the file; u32 number of pieces; of each u32 where it begins in the file, in the image, its bytes; then
/// the rest of the file, without the pieces. Pieces are in the file's order and do not overlap.
Bytes pack_network(std::span<const std::uint8_t> dsenet, std::span<const std::uint8_t> image);
/// @returns nothing when the section is malformed.
std::optional<Bytes> unpack_network(std::span<const std::uint8_t> section, std::span<const std::uint8_t> image);

}  // namespace dse::deploy
