// Programs with every feature of the format, for tests of encoder and decoder. They are not meant to compute anything.
#pragma once
#include <cstdint>
#include <random>

#include "program/program.h"

namespace dse::test {

/// Nested loops (empty ones too), ranges of every form, skipped tasks, slots with ages, waits of both kinds, foreign
/// kinds. `executable`: only in-bounds views over small arenas and no calls, so that every task may be executed.
program::Program random_program(std::uint64_t seed, bool executable = false);

/// A chain of `layers` layers as lowering emits them: copies in with prefetch, weights, a call per tile, copy out.
program::Program chain(int layers);

}  // namespace dse::test
