#include "plan/check/check.h"

#include <algorithm>
#include <optional>

#include "base/diagnostics.h"
#include "plan/check/check_bytes.h"
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
        groups_(buffer_groups(p)),
        reached_(p.templates.size(), false),
        window_(p.buffers.size(), 0) {
    for (std::size_t a = 0; a < p.arenas.size(); ++a) bytes_.emplace_back(order_);
    buffers_.resize(p.arenas.size());
    strict_.assign(p.arenas.size(), false);
    for (std::size_t a = 0; a < p.arenas.size(); ++a)
      strict_[a] = memories_[a] >= 0 && d.memories[static_cast<std::size_t>(memories_[a])].on_chip;
    for (const auto& b : p.buffers) strict_[static_cast<std::size_t>(b.arena)] = true;
    for (const auto& port : p.inputs)
      bytes_[port.arena].give(port.offset, port.offset + port.size, kGiven, first_owner(port));
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
        bytes_[l.arena].give(l.offset, l.offset + l.size, kGiven, groups_[state - p.buffers.begin()]);
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
      bytes_[port.arena].expect(port.offset, port.offset + port.size, last_owner(port), conflicts_);
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
  // --- sections: which buffers live
  // ----------------------------------------------------------------------------------------------
  void enter(int section) {
    while (section_ < section) {
      ++section_;
      for (auto& b : buffers_) b.clear();
      last_ = {};
      ordinal_ = -1;
      windowed_ = false;
      for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
        const auto& b = program_.buffers[i];
        if (section_ < b.first_section || b.last_section < section_) continue;
        buffers_[b.arena].push_back(static_cast<int>(i));
        auto& w = window_[i];
        while (w < b.windows.size() && b.windows[w].section < section_) ++w;
        windowed_ |= w < b.windows.size() && b.windows[w].section == section_;
      }
      for (auto& list : buffers_)
        std::sort(list.begin(), list.end(),
                  [&](int x, int y) { return program_.buffers[x].offset < program_.buffers[y].offset; });
      const bool listed = std::any_of(program_.quiescent.begin(), program_.quiescent.end(),
                                      [&](const program::QuiescentPoint& q) { return q.section == section_; });
      const bool end = section_ == static_cast<int>(program_.sections.size());
      const std::int32_t busy = order_.in_flight();
      if (listed && busy >= 0)
        out_.add(FindingKind::quiescence, std::to_string(section_),
                 describe(busy) + " may be in flight before " + (end ? "the end" : program_.sections[section_].name) +
                     ", which is listed as quiescent");
    }
  }
  bool contains(int buffer, const Access& a) const {
    const auto& b = program_.buffers[buffer];
    return b.offset <= a.begin && a.end <= b.offset + b.size;
  }
  /// The buffer has the bytes of this access in use while the current task is under way.
  bool uses(int buffer, const Access& a) {
    const auto& b = program_.buffers[buffer];
    auto& at = window_[static_cast<std::size_t>(buffer)];
    const auto here = [&](std::size_t i) { return i < b.windows.size() && b.windows[i].section == section_; };
    while (here(at + 1) && b.windows[at].last_task < ordinal_) ++at;
    if (!here(at)) return true;  // all of it, all the time
    // Windows at the same time are apart in bytes: together they must hold the access.
    auto covered = a.begin;
    for (bool more = true; more && covered < a.end;) {
      more = false;
      for (auto i = at; here(i) && b.windows[i].first_task <= ordinal_; ++i) {
        const auto& w = b.windows[i];
        if (w.last_task < ordinal_ || b.offset + w.begin > covered || b.offset + w.end <= covered) continue;
        covered = b.offset + w.end, more = true;
      }
    }
    return covered >= a.end && (a.begin < a.end || b.windows[at].first_task <= ordinal_);
  }
  /// In sections where buffers take turns with the same bytes.
  int windowed_at(const Access& a) {
    for (const int buffer : buffers_[a.arena])
      if (contains(buffer, a) && uses(buffer, a)) return buffer;
    return -1;
  }
  /// The buffer alive in this section that an access lies in; -1 = none.
  int buffer_at(const Access& a) {
    if (windowed_) return windowed_at(a);
    if (a.arena == last_.arena && last_.begin <= a.begin && a.begin < last_.next && a.end <= last_.end)
      return last_.buffer;  // most runs follow one in the same buffer
    const auto& list = buffers_[a.arena];
    const auto after = std::upper_bound(list.begin(), list.end(), a.begin,
                                        [&](std::int64_t at, int b) { return at < program_.buffers[b].offset; });
    for (auto it = after; it != list.begin();)
      if (const int buffer = *--it; contains(buffer, a)) {
        if (it + 1 == after) {
          const auto& b = program_.buffers[buffer];
          const std::int64_t end = b.offset + b.size;
          last_ = {a.arena, buffer, b.offset, end, after == list.end() ? end : program_.buffers[*after].offset};
        }
        return buffer;
      }
    return -1;
  }
  bool in_given_range(const Access& a) const {
    auto in = [&](int arena, std::int64_t offset, std::int64_t size) {
      return a.arena == arena && offset <= a.begin && a.end <= offset + size;
    };
    auto port = [&](const program::Port& x) { return in(x.arena, x.offset, x.size); };
    return in(program_.constants_arena, 0, program_.constants_size) ||
           std::any_of(program_.inputs.begin(), program_.inputs.end(), port) ||
           std::any_of(program_.outputs.begin(), program_.outputs.end(), port) ||
           std::any_of(program_.preloads.begin(), program_.preloads.end(),
                       [&](const program::Preload& l) { return in(l.arena, l.offset, l.size); });
  }
  /// The buffer has all of these bytes in use when the section begins (`at_end`: ends).
  bool at_edge(const program::Buffer& b, const program::Port& port, int section, bool at_end) const {
    const program::BufferWindow* edge = nullptr;
    for (const auto& w : b.windows)
      if (w.section == section && (!edge || at_end)) edge = &w;
    if (!edge) return true;
    for (const auto& other : program_.buffers)  // nobody is there earlier, or later
      for (const auto& w : other.windows)
        if (w.section == section && (at_end ? w.last_task > edge->last_task : w.first_task < edge->first_task) &&
            other.arena == b.arena && other.offset + w.begin < port.offset + port.size &&
            port.offset < other.offset + w.end)
          return false;
    return b.offset + edge->begin <= port.offset && port.offset + port.size <= b.offset + edge->end;
  }
  /// The tensor buffer that holds a port's bytes at the beginning / at the end.
  int owner_in(const program::Port& port, int section, bool at_end) const {
    for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
      const auto& b = program_.buffers[i];
      if (b.role == program::BufferRole::tensor && b.arena == port.arena && b.first_section <= section &&
          section <= b.last_section &&
          contains(static_cast<int>(i), {port.arena, port.offset, port.offset + port.size, false}) &&
          at_edge(b, port, section, at_end))
        return groups_[i];
    }
    return kNoOwner;
  }
  int first_owner(const program::Port& port) const { return owner_in(port, 0, false); }
  int last_owner(const program::Port& port) const {
    return owner_in(port, static_cast<int>(program_.sections.size()) - 1, true);
  }

  // --- one task
  // ------------------------------------------------------------------------------------------------------------------
  void task(const TaskInstance& t) {
    const std::int32_t number = order_.issue(t);
    ++ordinal_;
    const int index = index_of(t.task);
    if (!reached_[static_cast<std::size_t>(
            index)]) {  // engines and memories are the same for all instances of a template
      reached_[static_cast<std::size_t>(index)] = true;
      reach_(t, describe(number), out_);
    }
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
    const int buffer = buffer_at(a);
    if (buffer < 0 && strict_[a.arena] && !in_given_range(a))
      out_.add(FindingKind::bounds, std::to_string(index) + verb,
               describe(number) + verb + range_text(program_, a.arena, a.begin, a.end) +
                   ", which is in no buffer that lives there then");
    const int owner = buffer < 0 ? kNoOwner : groups_[buffer];
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

  // --- names
  // ---------------------------------------------------------------------------------------------------------------------
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
  std::vector<int> memories_, groups_;
  std::vector<bool> reached_, strict_;
  std::vector<ByteHistory> bytes_;         // per arena
  std::vector<std::vector<int>> buffers_;  // per arena: alive in this section, by offset
  /// The buffer that the last access lay in: accesses that begin in [begin, next) and end by `end` do too.
  struct {
    int arena = -1, buffer = -1;
    std::int64_t begin = 0, end = 0, next = 0;
  } last_;
  struct Stream {
    const program::Port* port;
    std::int64_t next;  // bytes before it have been read
    std::int32_t task;  // by this one last
  };
  std::vector<Stream> streams_;  // inputs in the device's input_from
  std::vector<Access> accesses_;
  std::vector<Conflict> conflicts_;
  int section_ = -1;
  int ordinal_ = -1;                 // of the current task in its section, Waits not counted
  bool windowed_ = false;            // buffers have windows in this section
  std::vector<std::size_t> window_;  // per buffer: where its windows of this section, of this task, are
};

}  // namespace

const char* name_of(FindingKind k) {
  switch (k) {
    case FindingKind::malformed:
      return "malformed";
    case FindingKind::fit:
      return "fit";
    case FindingKind::bounds:
      return "bounds";
    case FindingKind::lifetime:
      return "lifetime";
    case FindingKind::race:
      return "race";
    case FindingKind::undefined:
      return "undefined";
    case FindingKind::constants:
      return "constants";
    case FindingKind::input:
      return "input";
    case FindingKind::output:
      return "output";
    case FindingKind::reach:
      return "reach";
    case FindingKind::deadlock:
      return "deadlock";
    case FindingKind::quiescence:
      return "quiescence";
  }
  return "?";
}

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

std::string to_string(const std::vector<Finding>& findings) {
  std::string s;
  for (const Finding& f : findings) s += std::string(name_of(f.kind)) + ": " + f.message + "\n";
  return s;
}

}  // namespace dse::plan
