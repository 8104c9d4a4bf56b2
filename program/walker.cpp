#include <algorithm>
#include <string>

#include "base/diagnostics.h"
#include "program/program.h"

namespace dse::program {

namespace {

/// Rejects what next() could not survive, once per walk instead of once per task.
void check_shape(const Program& p) {
  int depth = 0;
  for (const Instruction& i : p.code) {
    switch (i.op) {
      case Instruction::Op::loop:
        ensure(++depth <= kMaxLoops, "program: loops nested too deeply");
        ensure(i.arg >= 0, "program: negative loop count");
        break;
      case Instruction::Op::end:
        ensure(--depth >= 0, "program: end without loop");
        break;
      case Instruction::Op::section:
        ensure(depth == 0, "program: section inside a loop");
        ensure(i.arg >= 0 && i.arg < static_cast<int>(p.sections.size()), "program: unknown section");
        break;
      case Instruction::Op::task:
        ensure(i.arg >= 0 && i.arg < static_cast<int>(p.templates.size()), "program: unknown template");
        break;
    }
  }
  ensure(depth == 0, "program: loop without end");
  ensure(p.queues.size() <= TaskInstance{}.after.size(), "program: more queues than completions can name");
  for (const TaskTemplate& t : p.templates) {
    ensure(t.kind && t.payload, "program: template without kind or payload");
    ensure(t.queue >= kControl && t.queue < static_cast<int>(p.queues.size()), "program: unknown queue");
    ensure((t.queue == kControl) == t.kind->is_wait(), "program: waits belong to control, other tasks to a queue");
    ensure(t.slot == kNoSlot || (t.slot >= 0 && t.slot < kMaxSlots && t.queue != kControl),
           "program: slot out of range");
    for (const Dependency d : t.dependencies)
      ensure(d.slot < kMaxSlots && d.age <= kMaxAge, "program: dependency out of range");
  }
}

void require(TaskInstance& t, Completion c) {
  if (c.count <= 0) return;
  for (int i = 0; i < t.after_count; ++i)
    if (t.after[static_cast<std::size_t>(i)].queue == c.queue) {
      auto& count = t.after[static_cast<std::size_t>(i)].count;
      count = std::max(count, c.count);
      return;
    }
  t.after[static_cast<std::size_t>(t.after_count++)] = c;  // at most one per queue: bounded by check_shape
}

}  // namespace

Walker::Walker(const Program& program, int first_section, int last_section)
    : program_(&program),
      stop_(program.code.size()),
      issued_(program.queues.size(), 0),
      tiles_(program.templates.size(), 0) {
  check_shape(program);
  section_ = 0;  // tasks before any section instruction belong to the first one
  const auto position = [&](int section) -> std::size_t {
    for (std::size_t i = 0; i < program.code.size(); ++i)
      if (program.code[i].op == Instruction::Op::section && program.code[i].arg == section) return i;
    throw InvariantError("program: no section " + std::to_string(section));
  };
  if (first_section > 0) pc_ = position(first_section);
  if (last_section < 0) return;
  const std::size_t last = program.sections.empty() ? 0 : position(last_section);
  for (std::size_t i = last + 1; i < program.code.size(); ++i)
    if (program.code[i].op == Instruction::Op::section) {
      stop_ = i;
      break;
    }
}

void Walker::record(int slot, Completion c) {
  if (slot == kNoSlot) return;
  Slot& s = slots_[static_cast<std::size_t>(slot)];
  for (std::size_t i = kMaxAge; i > 0; --i) s.history[i] = s.history[i - 1];
  s.history[0] = c;
  s.size = std::min(s.size + 1, kMaxAge + 1);
}

void Walker::clear_slots() {
  for (Slot& s : slots_) s.size = 0;
}

void Walker::skip_loop() {
  int depth = 0;
  do {
    if (program_->code[pc_].op == Instruction::Op::loop) ++depth;
    if (program_->code[pc_].op == Instruction::Op::end) --depth;
    ++pc_;
  } while (depth > 0);
}

bool Walker::next(TaskInstance& out) {
  while (pc_ < stop_) {
    const Instruction in = program_->code[pc_];
    switch (in.op) {
      case Instruction::Op::loop:
        if (in.arg == 0) {
          skip_loop();
          break;
        }
        ++pc_;
        frames_[static_cast<std::size_t>(depth_)] = {static_cast<std::int32_t>(pc_), in.arg, 0};
        loops_[static_cast<std::size_t>(depth_++)] = 0;
        break;
      case Instruction::Op::end: {
        const auto top = static_cast<std::size_t>(depth_ - 1);
        Frame& f = frames_[top];
        if (++f.index < f.count) {
          loops_[top] = f.index;
          pc_ = static_cast<std::size_t>(f.body);
        } else {
          loops_[top] = 0;
          --depth_;
          ++pc_;
        }
        break;
      }
      case Instruction::Op::section:
        section_ = in.arg;
        clear_slots();
        std::fill(tiles_.begin(), tiles_.end(), 0);
        ++pc_;
        break;
      case Instruction::Op::task:
        ++pc_;
        if (issue(in.arg, out)) return true;
        break;
    }
  }
  return false;
}

bool Walker::issue(std::int32_t index, TaskInstance& out) {
  const TaskTemplate& t = program_->templates[static_cast<std::size_t>(index)];
  out.task = &t;
  out.section = section_;
  out.loops = loops_;
  out.queue = t.queue;
  out.after_count = 0;
  if (t.queue != kControl && t.kind->empty(out)) {
    if (t.slot != kNoSlot) {
      const Slot& s = slots_[static_cast<std::size_t>(t.slot)];
      record(t.slot, s.size > 0 ? s.history[0] : Completion{t.queue, 0});
    }
    return false;
  }
  for (const Dependency d : t.dependencies) {
    const Slot& s = slots_[d.slot];
    if (d.age < s.size) require(out, s.history[d.age]);
  }
  std::int32_t& tile = tiles_[static_cast<std::size_t>(index)];
  out.tile = tile++;
  if (t.queue == kControl) {
    out.sequence = ++waits_;
    const auto* wait = dynamic_cast<const WaitPayload*>(t.payload.get());
    if (wait && wait->all) {
      for (std::size_t q = 0; q < issued_.size(); ++q) require(out, {static_cast<std::int32_t>(q), issued_[q]});
      clear_slots();
    }
  } else {
    out.sequence = ++issued_[static_cast<std::size_t>(t.queue)];
    record(t.slot, {t.queue, out.sequence});
  }
  return true;
}

std::int64_t count_tasks(const Program& program) {
  Walker walker(program);
  TaskInstance task;
  std::int64_t n = 0;
  while (walker.next(task)) ++n;
  return n;
}

}  // namespace dse::program
