// Tasks: templates in a program, instances as the walker expands them, and the interface that a kind of task
// implements.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "program/cost.h"
#include "program/view.h"

namespace dse::program {

class Encoder;
class TaskKind;

/// What a task does; each kind derives its own.
struct Payload {
  virtual ~Payload() = default;
};

/// "The task issued into `slot`, `age` issues ago" (0 = the latest), within the current section.
struct Dependency {
  std::uint8_t slot;
  std::uint8_t age;
  bool operator==(const Dependency&) const = default;
};
constexpr int kMaxSlots = DSE_MAX_SLOTS, kMaxAge = DSE_MAX_HISTORY - 1, kNoSlot = 255;
constexpr int kControl = -1;  // queue of a Wait

struct TaskTemplate {
  const TaskKind* kind = nullptr;
  int queue = kControl;  // index into Program::queues
  int slot = kNoSlot;    // history it is recorded in when issued (also when skipped: then the latest entry repeats)
  std::vector<Dependency> dependencies;
  std::shared_ptr<const Payload> payload;
  int layer = -1;  // operator of the network that it works for; -1 = that of its section. Not part of the encoding.
};

/// "Queue `queue` has completed `count` tasks." Queues complete in order, so this names a task and all before it there.
struct Completion {
  std::int32_t queue;
  std::int32_t count;
};

/// One task to run. Valid until the walker moves on.
struct TaskInstance {
  const TaskTemplate* task = nullptr;
  int section = 0;  // index into Program::sections
  LoopIndex loops{};
  int queue = kControl;
  std::int32_t sequence = 0;           // 1-based position in its queue; for a Wait its ordinal
  std::int32_t tile = 0;               // how often this template was issued before in this section
  std::array<Completion, 20> after{};  // what must be complete before it starts (a Wait: before control goes on)
  int after_count = 0;
};

/// Host pointers to the bytes of each arena, holding poison wherever the task may not look.
class ByteSpace {
 public:
  virtual ~ByteSpace() = default;
  virtual std::uint8_t* base(int arena) const = 0;
};

/// One kind of task in one place. The checker, liveness, race test, trace and package use only these functions.
class TaskKind {
 public:
  virtual ~TaskKind() = default;
  virtual std::string_view name() const = 0;
  virtual std::uint8_t code()
      const = 0;  // tag in the encoded program; 1 copy, 2 call, 3 stream, 4 wait; 128.. free for others
  /// Bytes read and written.
  virtual void footprint(const TaskInstance& t, std::vector<Access>& out) const = 0;
  virtual TaskCost time(const TaskInstance& t, const CostModel& model) const = 0;
  /// Does it, on real bytes. @returns false when the payload cannot be executed (an absent operand).
  virtual bool execute(const TaskInstance& t, const ByteSpace& bytes) const = 0;
  virtual void encode(const TaskTemplate& t, Encoder& out) const = 0;
  /// Nothing to do for these loop values: the instance is skipped (not issued).
  virtual bool empty(const TaskInstance&) const { return false; }
  /// Control waits for the instance's completions instead of issuing it into a queue.
  virtual bool is_wait() const { return false; }
};

}  // namespace dse::program
