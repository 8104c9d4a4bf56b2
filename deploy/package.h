// Writes a package: everything that a firmware needs of a chosen point, in one flat folder. Described in
// docs/run/package.md.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "deploy/runner.h"
#include "models/hw/device.h"
#include "models/nn/network.h"
#include "program/program.h"

namespace dse::deploy {

constexpr int kManifestFormat = 1;

/// What was simulated, for README.md and manifest.json.
struct Facts {
  std::int64_t latency_ticks = 0;  // cycles of the device's fastest clock, from the first task to the last output byte
  std::int64_t startup_bytes = 0;  // resident weights copied once
  std::string accuracy = "not validated against silicon";  // what stands beside every latency
  std::string point;                                       // id of the point, e.g. "3fa9c2"
  std::string command;                                     // that exported it
  /// Further documents to put into the folder: (file name, text), e.g. ("plan.yaml", ...).
  std::vector<std::pair<std::string, std::string>> documents;
};

/// Writes the folder (made if absent; files of the same names are replaced). `constants`: the image that the program's
/// constants arena holds. `inputs`, `outputs`: one test vector. Before writing, the encoded plan is run through all
/// ports: a package whose outputs differ from `outputs` is never written.
/// @returns false, with diagnostics, when the plan cannot be shipped, a run differs or the folder cannot be written.
bool write_package(const nn::Network& network, const hw::Device& device, const program::Program& program,
                   std::span<const std::uint8_t> constants, const ByteVectors& inputs, const ByteVectors& outputs,
                   const Facts& facts, const std::string& folder, Diagnostics& diags);

/// The generated C: (file name, text). Plan, weights, test vector, arenas and their header.
std::vector<std::pair<std::string, std::string>> generate_c(const program::Program& program,
                                                            std::span<const std::uint8_t> plan,
                                                            std::span<const std::uint8_t> constants,
                                                            const ByteVectors& inputs, const ByteVectors& outputs,
                                                            const std::string& network, const std::string& device);

/// SHA-256 as 64 hex digits.
std::string sha256(std::span<const std::uint8_t> bytes);

}  // namespace dse::deploy
