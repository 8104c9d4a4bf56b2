// The kinds of task that programs are made of. Each kind's four functions are in kinds/<name>.cpp.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

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

/// Commands for an NPU; its reads and writes are named. What it computes on real bytes is its meaning
/// (dse_npu_stream.h), with these operators, which are Program::operators from `first_operator` on.
struct StreamPayload : Payload {
  std::vector<std::uint8_t> commands;
  std::vector<std::uint8_t> meaning;  // empty: none is known
  int first_operator = 0;
  std::vector<const dse_op*> operators;
  int arenas = 0;  // of the program
  std::vector<Access> accesses;
  // Not part of the encoding. By the number of a kernel:
  std::vector<int> layers;         // operator of the network that it works for
  std::vector<int> times;          // when it runs, as windows of buffers count in a section with a stream, from 0
  std::vector<std::int64_t> macs;  // multiply-accumulates of the network that it does
};

/// Control blocks until its dependencies (or, with `all`, everything issued so far) are complete.
struct WaitPayload : Payload {
  bool all = true;
};

const TaskKind& copy_kind();
const TaskKind& call_kind();
const TaskKind& stream_kind();
const TaskKind& wait_kind();

/// What a task calls, its views without a base; nothing for other kinds.
std::optional<dse_call> call_of(const TaskInstance& task);
/// The payload of a stream; null for other kinds.
const StreamPayload* stream_of(const TaskTemplate& task);

}  // namespace dse::program
