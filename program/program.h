// Program: what is timed, executed and shipped. Loops over task templates; executors expand it lazily with a Walker.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "program/kinds.h"
#include "program/task.h"

namespace dse::program {

/// A region of one memory that offsets count from. Several programs may have their arenas in one memory (Job::binding).
struct Arena {
  std::string name;       // by convention the memory's name in the plan ("l1")
  std::int64_t size = 0;  // bytes: highest address used + 1
  int alignment = 4;
};

/// An in-order queue of an engine: DMA channels are queues of their own.
struct Queue {
  std::string name;  // "cluster", "cluster_dma", "cluster_dma.1"
  int engine = 0;    // index into the device's engines
  int channel = 0;
};

/// A run of instructions between two quiescent points: one layer (or one segment of several).
struct Section {
  std::string name;        // "conv3"
  int operator_index = 0;  // of the network; the first one for a segment of several
  int segment = 0;
};

struct Instruction {
  enum class Op : std::uint8_t { loop, end, task, section };
  Op op;
  std::int32_t arg = 0;  // loop: count; task: template index; section: section index; end: 0
};

/// state: kept between runs of the network.
enum class BufferRole { tensor, tile, weights, partial_sums, scratch, staging, constants, state };

/// Bytes [begin, end) of a buffer, counted from its start, are in use while the tasks `first_task`..`last_task`
/// (inclusive, numbers of instances in the section without its Waits, from 0) are under way; in a section that is one
/// stream of an NPU, at these times of its kernels (StreamPayload::times). A buffer may have several
/// windows at the same time, apart from each other: a ring whose rows lie on both sides of its end.
struct BufferWindow {
  int section = 0;
  int first_task = 0, last_task = 0;
  std::int64_t begin = 0, end = 0;
  bool operator==(const BufferWindow&) const = default;
};

/// A named byte range that lives from one section to another (inclusive). For the memory map and the liveness test.
struct Buffer {
  std::string name;
  BufferRole role = BufferRole::tensor;
  int arena = 0;
  std::int64_t offset = 0, size = 0;
  int first_section = 0, last_section = 0;
  int tensor = -1;  // of the network, where it is one
  /// In sections that have any, the buffer takes these bytes only; in others all of them. By section and first task.
  std::vector<BufferWindow> windows{};
};

/// Bytes copied once at start-up from the constants image into another arena (resident weights).
struct Preload {
  int arena = 0;
  std::int64_t offset = 0, size = 0;
  std::int64_t image_offset = 0;
};

/// A network input or output: where its bytes lie before task 0 / after the last task (dense, tensor layout).
struct Port {
  std::string name;
  int tensor = 0;
  int arena = 0;
  std::int64_t offset = 0, size = 0;
  // Of inputs; not part of the encoding.
  bool preserved = false;  // its bytes are the given ones after the last task too
  bool streamed = false;   // it comes in while the program runs: every byte is read once, in order
};

/// No task in flight before section `section`; bytes that must be preserved there, per arena.
struct QuiescentPoint {
  int section = 0;
  std::vector<std::int64_t> live_bytes;
};

class Program {
 public:
  std::string network, device, plan_id;
  std::vector<Arena> arenas;
  int constants_arena = -1;  // holds the constants image from offset 0
  std::int64_t constants_size = 0;
  std::vector<Queue> queues;
  std::deque<dse_op> operators;
  std::vector<TaskTemplate> templates;
  std::vector<Instruction> code;
  std::vector<Section> sections;
  std::vector<Buffer> buffers;
  std::vector<Preload> preloads;
  std::vector<Port> inputs, outputs;
  std::vector<QuiescentPoint> quiescent;

  Program() = default;
  Program(Program&&) = default;
  Program& operator=(Program&&) = default;
  Program(const Program&) = delete;  // CallPayload::parameters points into `operators`
  Program& operator=(const Program&) = delete;

  void loop(int count) { code.push_back({Instruction::Op::loop, count}); }
  void end() { code.push_back({Instruction::Op::end, 0}); }
  void task(TaskTemplate t) {
    code.push_back({Instruction::Op::task, static_cast<std::int32_t>(templates.size())});
    templates.push_back(std::move(t));
  }
  /// A Wait for everything issued so far.
  void wait() {
    TaskTemplate t;
    t.kind = &wait_kind();
    t.payload = std::make_shared<WaitPayload>();
    task(std::move(t));
  }
  /// Every section begins and ends without a task in flight: lists these points, with the bytes of buffers that live on
  /// both sides.
  void quiesce_between_sections() {
    for (std::size_t s = 0; s <= sections.size(); ++s) {
      QuiescentPoint q;
      q.section = static_cast<int>(s);
      q.live_bytes.assign(arenas.size(), 0);
      for (const auto& b : buffers)
        if (b.first_section < q.section && q.section <= b.last_section)
          q.live_bytes[static_cast<std::size_t>(b.arena)] += b.size;
      quiescent.push_back(std::move(q));
    }
  }
  void section(Section s) {
    code.push_back({Instruction::Op::section, static_cast<std::int32_t>(sections.size())});
    sections.push_back(std::move(s));
  }
};

/// Arena -> (memory of the device, base address there).
struct ArenaBinding {
  int memory = 0;
  std::int64_t base = 0;
};

/// A program to run: which part, where its arenas lie, when it may start.
struct Job {
  const Program* program = nullptr;
  std::vector<ArenaBinding> binding;         // per arena
  int first_section = 0, last_section = -1;  // inclusive; -1 = the last one
  std::int64_t release = 0;                  // ticks
};

/// Expands a program, in issue order, skipping empty instances and resolving dependencies.
class Walker {
 public:
  explicit Walker(const Program& program, int first_section = 0, int last_section = -1);
  /// Next instance to issue. @returns false at the end. @throws InvariantError on a malformed program (unbalanced
  /// loops, a slot or age out of range, too many completions). A dependency older than the slot's history in this
  /// section is satisfied already. A skipped (empty) instance repeats its slot's latest entry, or records "nothing to
  /// wait for" if there is none.
  bool next(TaskInstance& out);

 private:
  struct Frame {
    std::int32_t body, count, index;
  };
  struct Slot {
    std::array<Completion, kMaxAge + 1> history;
    int size = 0;
  };
  bool issue(std::int32_t template_index, TaskInstance& out);
  void record(int slot, Completion c);
  void clear_slots();
  void skip_loop();

  const Program* program_;
  std::size_t pc_ = 0, stop_ = 0;
  int section_ = -1;
  std::array<Frame, kMaxLoops> frames_{};
  int depth_ = 0;
  LoopIndex loops_{};
  std::array<Slot, kMaxSlots> slots_{};
  std::vector<std::int32_t> issued_;  // per queue
  std::vector<std::int32_t> tiles_;   // per template, in this section
  std::int32_t waits_ = 0;
};

/// Number of instances a walker yields (waits included).
std::int64_t count_tasks(const Program& program);

}  // namespace dse::program
