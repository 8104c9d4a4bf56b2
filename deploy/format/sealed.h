// Encryption of packages: XChaCha20-Poly1305 by libsodium.
#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>

#include "base/diagnostics.h"
#include "deploy/format/container.h"

namespace dse::deploy {

using Key = std::array<std::uint8_t, 32>;

/// A key of 32 bytes: from a file that holds them, or 64 hexadecimal digits; or, if `from` is "env:NAME", from that
/// environment variable, as digits.
std::optional<Key> read_key(const std::string& from, Diagnostics& diagnostics);

/// An encrypted package around `package`. `info` stays readable and is authenticated; the nonce is drawn by libsodium.
Bytes seal(std::span<const std::uint8_t> package, const std::string& info, const Key& key, bool parity = false);
bool is_sealed(std::span<const std::uint8_t> bytes);
/// The package inside. @returns nothing, with a diagnostic, when it was changed or the key is another one.
std::optional<Bytes> unseal(std::span<const std::uint8_t> bytes, const Key& key, const std::string& file,
                            Diagnostics& diagnostics);

}  // namespace dse::deploy
