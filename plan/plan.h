// Plan: every decision taken, nothing left implicit. A pure function of (network structure, device, assignment of
// choices); a readable document that can also be written by hand. It belongs to a structure, not to weights: retraining
// keeps it.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plan/alloc/problem.h"
#include "plan/layer/layer.h"
#include "plan/place/rigid.h"

namespace dse::plan {

/// A named byte range in a memory. `first`/`last`: sections (inclusive) it lives through.
struct PlacedBuffer {
  std::string
      name;  // "t12" for tensors (network index), "conv3.in0" for a layer's own, "conv3.resident", "conv3.constants"
  program::BufferRole role = program::BufferRole::tensor;
  int memory = 0;
  std::int64_t offset = 0, size = 0;
  int first = 0, last = 0;
  int tensor = -1;
  /// Plans with phased segments: life and gaps in steps (plan/segment/phased.h), as the allocator sees them.
  alloc::Buffer life{};
  /// Of a ring, where it interleaves with others to the byte (plan/place/rigid.h): the bytes that it takes in which
  /// steps, and the slots that its rows are shifted by. Empty: as `life` says, row 0 lies in slot 0.
  std::vector<shared::Taken> taken{};
  std::int64_t shift = 0;
  int over = -1;  // the tensor whose buffer it takes over in section `first` (an operator in place)
};

/// npu: one command stream; its operators are those that the NPU runs.
enum class SegmentKind { layerwise, phased, npu };
struct Segment {
  std::vector<int> operators;
  SegmentKind kind = SegmentKind::layerwise;
};

/// An infeasible plan is a value: what cannot be, in words, and of which layer, in which memory and by how much.
struct Infeasible {
  std::string what, hint;
  int op = -1;                 // the operator; -1: no single one
  int memory = -1;             // of the device, where bytes are missing
  std::int64_t shortfall = 0;  // bytes
};

/// What is decided once per network rather than per layer.
struct NetworkChoice {
  bool alias_reshapes = true;   // false: RESHAPE copies, as TFLM does
  bool greedy_offsets = false;  // true: tensors lie where TFLM's greedy planner puts them
  /// kept: the caller still has the inputs after the run. streamed: they come in from the device's `input_from`.
  shared::Input input = shared::Input::released;
  std::vector<int> order = {};  // of all layers (operators), as they run; empty: as in the file
  bool operator==(const NetworkChoice&) const = default;
};
const char* name_of(shared::Input i);  // released, kept, streamed

/// Everything that is decided.
struct Decisions {
  NetworkChoice network;
  std::vector<LayerChoice> layers;  // per operator
  bool operator==(const Decisions&) const = default;
};

namespace npu {
struct Compiled;  // plan/npu/program/compiled.h
}

struct Plan {
  std::string network, network_hash, device, device_hash;
  std::string origin;  // "explored", "rule-based" (which, in brackets), "TFLM today", "by hand"
  std::vector<Segment> segments;
  std::vector<LayerChoice> choices;  // per operator of the network
  bool alias_reshapes = true;        // false: RESHAPE copies, as TFLM does
  bool greedy_offsets = false;       // offsets of tensors were given, by TFLM's planner; plan documents just have them
  /// Of inputs that come in from the device's `input_from`, "t<index>.input" is where they lie there.
  shared::Input input = shared::Input::released;
  std::vector<int> order = {};  // as the segments have it, where it is not the file's
  std::vector<PlacedBuffer> buffers;
  std::vector<std::int64_t> heights;  // per memory: highest address used + 1 (constants image included where it lies)
  std::vector<std::int64_t> loads;    // per memory: highest live bytes (a lower bound of the height)
  std::int64_t constants_size = 0;
  /// Of a plan with segments on an NPU: the schedule there, which stands for `choices`. Else null.
  std::shared_ptr<const npu::Compiled> npu{};
  NetworkChoice network_choice() const { return {alias_reshapes, greedy_offsets, input, order}; }
  /// Short stable id: 8 hex digits over network structure, device, choices and offsets.
  std::string id() const;
};

}  // namespace dse::plan
