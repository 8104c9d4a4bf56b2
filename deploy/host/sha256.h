#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace dse::deploy {

/// SHA-256 as 64 hex digits.
std::string sha256(std::span<const std::uint8_t> bytes);

}  // namespace dse::deploy
