// Writes a package: everything that a firmware needs of chosen points, in one folder. Described in docs/run/package.md.
#pragma once
#include <string>

#include "base/diagnostics.h"
#include "deploy/export/shipment.h"
#include "deploy/host/sha256.h"  // of the files in manifests

namespace dse::deploy {

constexpr int kManifestFormat = 2;

/// What the package's file and the generated C are made of.
Contents contents_of(const nn::Network& network, const hw::Device& device, const Shipment& s);

/// Whether there is such a package. False after diagnostics, which name `folder`: black boxes, several points or a key
/// in the static style, an NPU with a library's kernels.
bool can_be_shipped(const nn::Network& network, const Shipment& shipment, const std::string& folder,
                    Diagnostics& diags);

/// Writes the folder (deploy/host/folder.h). Before writing, every plan is run through all ports: a package whose
/// outputs differ from `outputs` is never written.
/// @returns false, with diagnostics, when there is no such package (can_be_shipped()) or a run differs.
/// @throws ToolError (deploy/emulate/check.h) when what `check` needs is missing or fails; std::runtime_error with the
/// reason when the folder cannot be written.
bool write_package(const nn::Network& network, const hw::Device& device, const Shipment& shipment,
                   const std::string& folder, Diagnostics& diags);

}  // namespace dse::deploy
