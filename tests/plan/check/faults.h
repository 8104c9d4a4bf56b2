// What may be wrong with a program that was made of a plan.
#pragma once
#include "base/diagnostics.h"
#include "program/program.h"

namespace dse::test {

enum class Fault { overlap, bytes, broken };
/// What a front says of plans left out for it.
constexpr const char* kFaultWhy[] = {"refused", "other bytes", "failed"};
constexpr const char* kFaultNames[] = {"Overlap", "Bytes", "Broken"};

/// @throws InvariantError for Fault::broken.
inline void spoil(Fault fault, program::Program& program) {
  if (fault == Fault::broken) throw InvariantError("spoilt");
  if (fault == Fault::overlap) {  // an offset changed: the first buffer lies behind its arena
    auto& buffer = program.buffers.at(0);
    buffer.offset = program.arenas.at(static_cast<std::size_t>(buffer.arena)).size + 16;
    return;
  }
  for (auto& op : program.operators) op.act_max = op.act_min, op.out_zero += 3;
}

}  // namespace dse::test
