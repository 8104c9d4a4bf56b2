// Runs a package in this process: the same plan bytes, constants, kernels and runtime as on the target.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "deploy/format/contents.h"

namespace dse::deploy {

/// How tasks reach their engines: at once, as late as may be, copies by a controller that works only while the
/// processor waits for it, or at random within what the plan allows.
enum class PortKind { eager, lazy, dma, random };
const char* name_of(PortKind k);

/// One inference over arenas full of poison (0xA5). `constants`: the image, without a checksum. `inputs`: bytes per
/// network input. `seed`: of PortKind::random and dma.
/// @returns the bytes of each network output; nothing, with a diagnostic, when the plan is refused or fails.
std::optional<ByteVectors> run_package(std::span<const std::uint8_t> plan, std::span<const std::uint8_t> constants,
                                       const ByteVectors& inputs, PortKind port, std::uint64_t seed,
                                       Diagnostics& diags);

/// Several inferences, one after the other: what the network keeps between runs is kept. `inputs`: per run.
/// @returns the outputs per run.
std::optional<std::vector<ByteVectors>> run_package_steps(std::span<const std::uint8_t> plan,
                                                          std::span<const std::uint8_t> constants,
                                                          const std::vector<ByteVectors>& inputs, PortKind port,
                                                          std::uint64_t seed, Diagnostics& diags);

/// What run_package() takes, and what it is to give.
struct PackageFiles {
  Bytes plan, constants;
  ByteVectors inputs, outputs;  // of the test vector
};

/// Runs with the eager port, the lazy one, the one over a DMA controller, and `interleavings` random ones (seeds from
/// `seed` on), each time comparing with the expected outputs. Every difference is an error that names port, seed,
/// output and first byte. @returns whether all agree.
bool verify_package(const PackageFiles& files, int interleavings, std::uint64_t seed, const std::string& where,
                    Diagnostics& diags);

/// The same of every point of a package, and that dse_init() takes each where the arenas are just large enough for it.
bool verify_contents(const Contents& contents, int interleavings, std::uint64_t seed, const std::string& where,
                     Diagnostics& diags);

}  // namespace dse::deploy
