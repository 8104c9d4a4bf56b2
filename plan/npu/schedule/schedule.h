// A schedule of an Ethos-U: for every operation its blocks, its stripes and where its weights are read; chains of
// operations that run stripe by stripe through rolling buffers; formats of the tensors.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "plan/npu/graph.h"
#include "plan/npu/weights/stream.h"

namespace dse::plan::npu {

/// Weights are read where they lie, or brought into the fast memory: into one buffer, slice after slice where there are
/// several, or into two in turn.
enum class WeightStaging { none, one_buffer, two_buffers };

/// Tensors that nobody outside the NPU sees are in bricks of 16 channels. in_place: but for outputs of elementwise
/// operations that can lie in place of an input with its channels last, as Arm's compiler has them in version 3.10;
/// bricks: all of them, as the compiler had them whose streams the concurrency thesis measured.
enum class Formats { in_place, bricks };

struct OperationPlan {
  hw::ethos_u::BlockConfig block;
  Shape stripe, stripe_ifm;  // outputs that are made at once, inputs under them
  int cascade = 0;           // number of its last operation, 0: none
  std::vector<int> slices;   // of output channels: first ones and the end
  WeightStreamPtr weights;
  WeightStaging staging = WeightStaging::none;
  bool ahead = false;  // the first slice comes while the operation before runs
  int time = 0;        // when it runs; those of a cascade at the same time

  // By the estimate, while a schedule is made:
  std::int64_t cycles = 0;        // of the operation alone
  double transfer_cycles = 0;     // of all its weights
  std::int64_t slack_cycles = 0;  // that the next operation's weights may come in
  std::int64_t slack_bytes = 0;   // of the fast memory that are free meanwhile

  std::int64_t buffer_bytes() const;  // of all its buffers
  /// One buffer holds every slice in turn, two hold the even and the odd ones.
  std::int64_t buffer_bytes(int buffer) const;
};

/// Operations [first, last], of which all but the first read a rolling buffer.
struct Cascade {
  int first = 0, last = 0;
  std::map<int, Shape> buffers;  // by operation that reads it
  std::int64_t bytes = 0;
};

struct Schedule {
  std::vector<OperationPlan> operations;
  std::map<int, Cascade> cascades;  // by last operation
  std::vector<std::int64_t> usage;  // bytes of the fast memory, by time
  std::vector<int> cpu_times;       // when the CPU's operators run, by fallback of the graph
  /// The cascade that this operation runs in; null: it runs alone.
  const Cascade* cascade_of(const OperationPlan& plan) const;
  std::int64_t peak() const;
  std::int64_t usage_at(int time) const {
    return static_cast<std::size_t>(time) < usage.size() ? usage[static_cast<std::size_t>(time)] : 0;
  }
};

}  // namespace dse::plan::npu
