// Segments of layers by phases, drawn at random, and what their programs must compute.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "program/program.h"
#include "tests/support/random_cases.h"

namespace dse::test {

/// Makes runs of layers that can run by rows phased ones, at random. @returns how many segments of several layers.
int draw_segments(Random& random, const nn::Network& network, const hw::Device& device,
                  std::vector<plan::LayerChoice>& choices);

/// Runs the program in several legal orders on seeded inputs. @returns the first difference from the interpreter's
/// bytes, in words; empty: there is none.
std::string wrong_bytes(const nn::Network& network, const program::Program& program,
                        const std::vector<std::uint8_t>& constants, std::uint64_t seed);

}  // namespace dse::test
