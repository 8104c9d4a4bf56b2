// The kinds of task that programs are made of. Each kind's four functions are in kinds/<name>.cpp.
#pragma once
#include <cstdint>
#include <memory>

#include "program/task.h"

namespace dse::program {

/// Copies the box (y, x, c) of a tensor from one view to another, element by element: dst(y,x,c) = src(y,x,c). Views
/// with different strides make it a permutation (HWC <-> CHW). With `fill` there is no source: every byte becomes
/// `value`.
struct CopyPayload : Payload {
  View from, to;
  Range y, x, c;
  bool fill = false;
  std::uint8_t value = 0;
};

/// Runs a kernel on a tile. `op` points into Program::operators (by index when encoded).
struct CallPayload : Payload {
  int op = 0;                          // index into Program::operators
  const dse_op* parameters = nullptr;  // the same, resolved (Program::operators is a deque: stable addresses)
  std::array<View, DSE_ROLES> views;
  Range y, x, c, k;
  bool accumulate = false;  // k runs over a loop: FIRST at its first step, LAST at its last; else FIRST|LAST
};

/// What a command stream computes, on real bytes.
class StreamMeaning {
 public:
  virtual ~StreamMeaning() = default;
  /// @returns false when it cannot be done.
  virtual bool execute(const ByteSpace& bytes) const = 0;
};

/// Commands for an NPU, opaque to us here; its reads and writes are named.
struct StreamPayload : Payload {
  std::vector<std::uint8_t> commands;
  std::vector<Access> accesses;
  // Not part of the encoding. By the number of a kernel:
  std::vector<int> layers;         // operator of the network that it works for
  std::vector<int> times;          // when it runs, as windows of buffers count in a section with a stream, from 0
  std::vector<std::int64_t> macs;  // multiply-accumulates of the network that it does
  std::shared_ptr<const StreamMeaning> meaning;
};

/// Control blocks until its dependencies (or, with `all`, everything issued so far) are complete.
struct WaitPayload : Payload {
  bool all = true;
};

const TaskKind& copy_kind();
const TaskKind& call_kind();
const TaskKind& stream_kind();
const TaskKind& wait_kind();

/// The payload of a stream; null for other kinds.
const StreamPayload* stream_of(const TaskTemplate& task);

}  // namespace dse::program
