#include "plan/check/check.h"

#include <algorithm>
#include <optional>

#include "base/diagnostics.h"
#include "plan/check/check_bytes.h"
#include "plan/check/check_live.h"
#include "plan/check/check_order.h"
#include "plan/check/check_report.h"

namespace dse::plan {
namespace {

using namespace check_detail;
using program::Access;
using program::Program;
using program::TaskInstance;

/// Walks the program once, in issue order.
class TaskCheck {
 public:
  TaskCheck(const Program& p, const hw::Device& d, Findings& out)
      : program_(p),
        out_(out),
        order_(p),
        reach_(p, d),
        memories_(memories_of(p, d)),
        live_(p),
        reached_(p.templates.size(), false) {
    for (std::size_t a = 0; a < p.arenas.size(); ++a) bytes_.emplace_back(order_);
    strict_.assign(p.arenas.size(), false);
    for (std::size_t a = 0; a < p.arenas.size(); ++a)
      strict_[a] = memories_[a] >= 0 && d.memories[static_cast<std::size_t>(memories_[a])].on_chip;
    for (const auto& b : p.buffers) strict_[static_cast<std::size_t>(b.arena)] = true;
    for (const auto& port : p.inputs)
      bytes_[port.arena].give(port.offset, port.offset + port.size, kGiven, live_.first_owner(port));
    for (const auto& port : p.inputs)
      if (port.streamed || (d.input_from >= 0 && memories_[static_cast<std::size_t>(port.arena)] == d.input_from))
        streams_.push_back({&port, port.offset, -1});
    if (p.constants_arena >= 0) bytes_[p.constants_arena].give(0, p.constants_size, kConstant, kNoOwner);
    for (const auto& l : p.preloads) {
      const auto state =
          std::find_if(p.buffers.begin(), p.buffers.end(), [&](const auto& b) { return first_values(l, b); });
      if (state == p.buffers.end())
        bytes_[l.arena].give(l.offset, l.offset + l.size, kConstant, kNoOwner);
      else
        bytes_[l.arena].give(l.offset, l.offset + l.size, kGiven,
                             live_.group(static_cast<int>(state - p.buffers.begin())));
    }
  }

  void run() {
    program::Walker walker(program_);
    TaskInstance t;
    while (walker.next(t)) {
      enter(t.section);
      if (!order_.well_founded(t)) {
        out_.add(FindingKind::deadlock, std::to_string(index_of(t.task)),
                 describe(t) + " waits for a task that is not issued before it");
        return;
      }
      if (t.task->kind->is_wait())
        order_.wait(t);
      else
        task(t);
    }
    enter(static_cast<int>(program_.sections.size()));
    for (const auto& port : program_.inputs) {
      conflicts_.clear();
      if (port.preserved) bytes_[port.arena].untouched(port.offset, port.offset + port.size, conflicts_);
      for (const Conflict& c : conflicts_)
        out_.add(FindingKind::input, port.name,
                 "input " + port.name + ", which the caller keeps: " + describe(c.other) + " writes " +
                     range_text(program_, port.arena, c.begin, c.end));
    }
    for (const auto& port : program_.outputs) {
      conflicts_.clear();
      bytes_[port.arena].expect(port.offset, port.offset + port.size, live_.last_owner(port), conflicts_);
      for (const Conflict& c : conflicts_) {
        const std::string range = range_text(program_, port.arena, c.begin, c.end);
        out_.add(FindingKind::output, port.name,
                 c.kind == Conflict::Kind::foreign ? "output " + port.name + ": " + range + " was last written by " +
                                                         describe(c.other) + " as " + program_.buffers[c.owner].name
                                                   : "output " + port.name + ": nothing writes " + range);
      }
    }
  }

 private:
  void enter(int section) {
    while (live_.section() < section) {
      live_.enter_next();
      const int at = live_.section();
      const bool listed = std::any_of(program_.quiescent.begin(), program_.quiescent.end(),
                                      [&](const program::QuiescentPoint& q) { return q.section == at; });
      const bool end = at == static_cast<int>(program_.sections.size());
      const std::int32_t busy = order_.in_flight();
      if (listed && busy >= 0)
        out_.add(FindingKind::quiescence, std::to_string(at),
                 describe(busy) + " may be in flight before " + (end ? "the end" : program_.sections[at].name) +
                     ", which is listed as quiescent");
    }
  }
  void task(const TaskInstance& t) {
    const std::int32_t number = order_.issue(t);
    live_.next_task();
    const int index = index_of(t.task);
    if (!reached_[static_cast<std::size_t>(
            index)]) {  // engines and memories are the same for all instances of a template
      reached_[static_cast<std::size_t>(index)] = true;
      reach_(t, describe(number), out_);
    }
    in_stream_ = program::stream_of(*t.task) != nullptr;
    accesses_.clear();
    t.task->kind->footprint(t, accesses_);
    for (bool write : {false, true})
      for (const Access& a : accesses_)
        if (a.write == write) access(number, index, a);
  }

  void access(std::int32_t number, int index, const Access& a) {
    const char* verb = a.write ? " writes " : " reads ";
    const auto arenas = static_cast<int>(program_.arenas.size());
    if (a.arena < 0 || a.arena >= arenas || a.begin < 0 || a.end < a.begin || a.end > program_.arenas[a.arena].size) {
      const std::string size =
          a.arena >= 0 && a.arena < arenas ? " of " + std::to_string(program_.arenas[a.arena].size) + " bytes" : "";
      out_.add(FindingKind::bounds, std::to_string(index) + verb,
               describe(number) + verb + range_text(program_, a.arena, a.begin, a.end) + ", outside the arena" + size);
      return;
    }
    const bool inside = in_stream_ && live_.covered(a);  // whose bytes they are is the NPU's own matter
    const int buffer = in_stream_ ? -1 : live_.buffer_at(a);
    if (buffer < 0 && !inside && strict_[a.arena] && !live_.in_given_range(a))
      out_.add(FindingKind::bounds, std::to_string(index) + verb,
               describe(number) + verb + range_text(program_, a.arena, a.begin, a.end) +
                   ", which is in no buffer that lives there then");
    const int owner = buffer < 0 ? kNoOwner : live_.group(buffer);
    if (!a.write) stream(number, index, a);
    conflicts_.clear();
    if (a.write)
      bytes_[a.arena].write(number, a.begin, a.end, owner, conflicts_);
    else
      bytes_[a.arena].read(number, a.begin, a.end, owner, conflicts_);
    for (const Conflict& c : conflicts_) conflict(number, index, a, c);
  }

  /// A read of an input that comes in as a stream: its bytes are there once, in order.
  void stream(std::int32_t number, int index, const Access& a) {
    for (Stream& s : streams_) {
      if (a.arena != s.port->arena) continue;
      const std::int64_t begin = std::max(a.begin, s.port->offset);
      const std::int64_t end = std::min(a.end, s.port->offset + s.port->size);
      if (begin >= end) continue;
      const bool after = s.task < 0 || s.task == number || order_.ordered(s.task, number);
      if (begin < s.next || !after)
        out_.add(FindingKind::input, std::to_string(index) + "stream",
                 describe(number) + " reads " + range_text(program_, a.arena, begin, end) + " of input " +
                     s.port->name + ", which comes in once and in order, " + (begin < s.next ? "after" : "while") +
                     " " + describe(s.task) + " reads up to " + std::to_string(s.next));
      s.next = std::max(s.next, end), s.task = number;
    }
  }

  void conflict(std::int32_t number, int index, const Access& a, const Conflict& c) {
    const std::string range = range_text(program_, a.arena, c.begin, c.end), me = describe(number);
    const std::string key = std::to_string(index) + (a.write ? "w" : "r");
    switch (c.kind) {
      case Conflict::Kind::race:
        out_.add(FindingKind::race, key + std::to_string(index_of(order_.note(c.other).task)),
                 me + (a.write ? " writes " : " reads ") + range + " while " + describe(c.other) + " may still use it");
        break;
      case Conflict::Kind::undefined:
        out_.add(FindingKind::undefined, key, me + " reads " + range + ", which nothing has written");
        break;
      case Conflict::Kind::foreign:
        out_.add(FindingKind::undefined, key,
                 me + " reads " + range + " as left behind by buffer " + program_.buffers[c.owner].name +
                     (c.other >= 0 ? ", written by " + describe(c.other) : std::string(", there from the start")));
        break;
      case Conflict::Kind::constant:
        out_.add(FindingKind::constants, key, me + " writes " + range + ", which holds constants");
        break;
      case Conflict::Kind::twice:
        out_.add(FindingKind::bounds, key, me + " writes " + range + " twice: two coordinates share an address");
        break;
    }
  }

  int index_of(const program::TaskTemplate* t) const { return static_cast<int>(t - program_.templates.data()); }
  std::string describe(const program::TaskTemplate& t, int section, int tile, int queue, int sequence) const {
    std::string s = program_.sections.empty() ? std::string("?") : program_.sections[section].name;
    s += " " + std::string(t.kind->name()) + " tile " + std::to_string(tile);
    if (queue >= 0) s += " (" + program_.queues[queue].name + " task " + std::to_string(sequence) + ")";
    return s;
  }
  std::string describe(const TaskInstance& t) const {
    return describe(*t.task, t.section, t.tile, t.queue, t.sequence);
  }
  std::string describe(std::int32_t number) const {
    const TaskNote& n = order_.note(number);
    return describe(*n.task, n.section, n.tile, n.queue, n.sequence);
  }

  const Program& program_;
  Findings& out_;
  HappensBefore order_;
  ReachCheck reach_;
  std::vector<int> memories_;
  LiveBuffers live_;
  std::vector<bool> reached_, strict_;
  std::vector<ByteHistory> bytes_;  // per arena
  struct Stream {
    const program::Port* port;
    std::int64_t next;  // bytes before it have been read
    std::int32_t task;  // by this one last
  };
  std::vector<Stream> streams_;  // inputs in the device's input_from
  bool in_stream_ = false;       // the task under way is a stream
  std::vector<Access> accesses_;
  std::vector<Conflict> conflicts_;
};

}  // namespace

std::vector<Finding> check(const Program& program, const hw::Device& device) {
  Findings out;
  const bool sound = check_structure(program, device, out);
  check_memory(program, device, out);
  try {
    if (sound) TaskCheck(program, device, out).run();
  } catch (const InvariantError& e) {  // the walker refuses it
    out.add(FindingKind::malformed, "walker", e.what());
  }
  return out.take();
}

}  // namespace dse::plan
