// Writes a package: everything that a firmware needs of chosen points, in one folder. Described in docs/run/package.md.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "base/diagnostics.h"
#include "deploy/export/shipment.h"

namespace dse::deploy {

constexpr int kManifestFormat = 2;

/// What the package's file and the generated C are made of.
Contents contents_of(const nn::Network& network, const hw::Device& device, const Shipment& s);

/// Writes the folder (made if absent; files of the same names are replaced). Before writing, every plan is run through
/// all ports: a package whose outputs differ from `outputs` is never written.
/// @returns false, with diagnostics, when the plan cannot be shipped, a run differs or the folder cannot be written.
bool write_package(const nn::Network& network, const hw::Device& device, const Shipment& shipment,
                   const std::string& folder, Diagnostics& diags);

/// SHA-256 as 64 hex digits.
std::string sha256(std::span<const std::uint8_t> bytes);

}  // namespace dse::deploy
