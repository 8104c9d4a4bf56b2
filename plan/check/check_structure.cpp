#include <algorithm>
#include <limits>
#include <numeric>

#include "plan/check/check_report.h"

namespace dse::plan::check_detail {

using program::Buffer;
using program::Instruction;
using program::Program;

std::string range_text(const Program& p, int arena, std::int64_t begin, std::int64_t end) {
  const bool known = arena >= 0 && arena < static_cast<int>(p.arenas.size());
  return "[" + std::to_string(begin) + ", " + std::to_string(end) + ") of " +
         (known ? p.arenas[static_cast<std::size_t>(arena)].name : "arena " + std::to_string(arena));
}

std::vector<int> memories_of(const Program& p, const hw::Device& d) {
  std::vector<int> out;
  for (const auto& a : p.arenas) {
    const auto m =
        std::find_if(d.memories.begin(), d.memories.end(), [&](const hw::Memory& x) { return x.name == a.name; });
    out.push_back(m == d.memories.end() ? -1 : static_cast<int>(m - d.memories.begin()));
  }
  return out;
}

namespace {

/// An address range that the program names: false, with a finding, when it is not inside its arena.
bool inside(const Program& p, const std::string& what, int arena, std::int64_t offset, std::int64_t size,
            FindingKind kind, Findings& out) {
  if (arena < 0 || arena >= static_cast<int>(p.arenas.size())) {
    out.add(FindingKind::malformed, what, what + " lies in arena " + std::to_string(arena) + ", which does not exist");
    return false;
  }
  if (offset >= 0 && size >= 0 && offset + size <= p.arenas[static_cast<std::size_t>(arena)].size) return true;
  out.add(kind, what,
          what + " at " + range_text(p, arena, offset, offset + size) + " is outside the arena's " +
              std::to_string(p.arenas[static_cast<std::size_t>(arena)].size) + " bytes");
  return false;
}

bool check_sections(const Program& p, Findings& out) {
  int next = 0;
  bool ok = true;
  for (const Instruction& i : p.code) {
    if (i.op == Instruction::Op::section) {
      if (i.arg != next) {
        out.add(FindingKind::malformed, "sections",
                "section " + std::to_string(i.arg) + " stands where section " + std::to_string(next) + " is expected");
        ok = false;
      }
      ++next;
    }
    if (i.op == Instruction::Op::task && next == 0)
      out.add(FindingKind::malformed, "no section", "a task stands before the first section");
  }
  if (next != static_cast<int>(p.sections.size())) {
    out.add(FindingKind::malformed, "section count",
            std::to_string(p.sections.size()) + " sections are declared, " + std::to_string(next) + " are in the code");
    ok = false;
  }
  return ok;
}

bool check_queues(const Program& p, const hw::Device& d, Findings& out) {
  bool ok = true;
  std::set<std::pair<int, int>> seen;
  for (const auto& q : p.queues) {
    if (q.engine < 0 || q.engine >= static_cast<int>(d.engines.size())) {
      out.add(FindingKind::malformed, q.name,
              "queue " + q.name + " belongs to engine " + std::to_string(q.engine) + ", which the device lacks");
      ok = false;
    } else if (q.channel < 0 || q.channel >= std::max(1, d.engines[static_cast<std::size_t>(q.engine)].channels)) {
      out.add(FindingKind::malformed, q.name,
              "queue " + q.name + " is channel " + std::to_string(q.channel) + ", which its engine lacks");
    } else if (!seen.insert({q.engine, q.channel}).second) {
      out.add(FindingKind::malformed, q.name, "queue " + q.name + " repeats a channel of its engine");
    }
  }
  return ok;
}

void check_calls(const Program& p, Findings& out) {
  for (const auto& t : p.templates) {
    const auto* call = dynamic_cast<const program::CallPayload*>(t.payload.get());
    if (!call) continue;
    const bool known = call->op >= 0 && call->op < static_cast<int>(p.operators.size());
    if (!known || call->parameters != &p.operators[static_cast<std::size_t>(call->op)])
      out.add(FindingKind::malformed, "call",
              "a call's parameters are not those of its operator " + std::to_string(call->op));
  }
}

bool meet(const Buffer& a, const Buffer& b) {
  return a.first_section <= b.last_section && b.first_section <= a.last_section;
}
bool share(const Buffer& a, const Buffer& b) {
  return a.arena == b.arena && a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}
/// What a buffer takes in one section: its windows there, or all of it all the time.
std::vector<program::BufferWindow> windows_in(const Buffer& b, int section) {
  std::vector<program::BufferWindow> out;
  for (const auto& w : b.windows)
    if (w.section == section) out.push_back(w);
  if (out.empty()) out.push_back({section, 0, std::numeric_limits<int>::max(), 0, b.size});
  return out;
}
/// Whether two buffers that share bytes ever use one at the same time; `section`: where.
bool collide(const Buffer& a, const Buffer& b, int& section) {
  const int first = std::max(a.first_section, b.first_section), last = std::min(a.last_section, b.last_section);
  for (section = first; section <= last; ++section) {
    if (a.windows.empty() && b.windows.empty()) return true;
    const auto of_a = windows_in(a, section), of_b = windows_in(b, section);
    std::size_t from = 0;
    for (const auto& x : of_a) {
      while (from < of_b.size() && of_b[from].last_task < x.first_task) ++from;
      for (std::size_t k = from; k < of_b.size() && of_b[k].first_task <= x.last_task; ++k) {
        const auto& y = of_b[k];
        if (y.last_task >= x.first_task && a.offset + x.begin < b.offset + y.end &&
            b.offset + y.begin < a.offset + x.end)
          return true;
      }
    }
  }
  return false;
}
/// Windows in order of their first tasks, apart from each other in time or in bytes, inside the buffer and its life.
bool sound_windows(const Buffer& b) {
  std::vector<const program::BufferWindow*> open;  // of this section, that have not ended
  for (std::size_t i = 0; i < b.windows.size(); ++i) {
    const auto& w = b.windows[i];
    if (w.section < b.first_section || w.section > b.last_section || w.first_task < 0 || w.last_task < w.first_task ||
        w.begin < 0 || w.end < w.begin || w.end > b.size)
      return false;
    if (i > 0) {
      const auto& v = b.windows[i - 1];
      if (w.section < v.section || (w.section == v.section && w.first_task < v.first_task)) return false;
      if (w.section != v.section) open.clear();
    }
    std::erase_if(open, [&](const auto* v) { return v->last_task < w.first_task; });
    for (const auto* v : open)
      if (w.begin == w.end || v->begin == v->end || (w.begin < v->end && v->begin < w.end)) return false;
    open.push_back(&w);
  }
  return true;
}

/// Two tensors in the same place, the second made where the first is used last; or the same tensor twice.
bool hand_over(const Buffer& a, const Buffer& b) {
  if (a.role != program::BufferRole::tensor || b.role != program::BufferRole::tensor) return false;
  if (a.arena != b.arena || a.offset != b.offset || a.size != b.size) return false;
  return a.last_section == b.first_section || b.last_section == a.first_section ||
         (a.tensor >= 0 && a.tensor == b.tensor);
}

}  // namespace

bool first_values(const program::Preload& l, const Buffer& b) {
  return b.role == program::BufferRole::state && l.arena == b.arena && l.offset == b.offset && l.size == b.size;
}

bool check_structure(const Program& p, const hw::Device& d, Findings& out) {
  bool ok = check_sections(p, out);
  ok = check_queues(p, d, out) && ok;
  check_calls(p, out);
  const auto memories = memories_of(p, d);
  for (std::size_t a = 0; a < p.arenas.size(); ++a) {
    if (memories[a] < 0)
      out.add(FindingKind::malformed, "arena" + p.arenas[a].name,
              "arena " + p.arenas[a].name + " has the name of no memory");
    for (std::size_t b = 0; b < a; ++b)
      if (memories[a] >= 0 && memories[a] == memories[b])
        out.add(FindingKind::malformed, "arena" + p.arenas[a].name, "two arenas lie in memory " + p.arenas[a].name);
  }
  if (p.constants_size > 0)
    ok = inside(p, "the constants image", p.constants_arena, 0, p.constants_size, FindingKind::bounds, out) && ok;
  for (const auto& l : p.preloads) {
    ok = inside(p, "a preload", l.arena, l.offset, l.size, FindingKind::bounds, out) && ok;
    if (l.image_offset < 0 || l.image_offset + l.size > p.constants_size)
      out.add(FindingKind::bounds, "image", "a preload reads beyond the constants image");
  }
  for (const auto& port : p.inputs)
    ok = inside(p, "input " + port.name, port.arena, port.offset, port.size, FindingKind::bounds, out) && ok;
  for (const auto& port : p.outputs)
    ok = inside(p, "output " + port.name, port.arena, port.offset, port.size, FindingKind::bounds, out) && ok;
  for (const auto& b : p.buffers) {
    if (b.first_section > b.last_section || b.first_section < 0)
      out.add(FindingKind::malformed, b.name,
              "buffer " + b.name + " lives from section " + std::to_string(b.first_section) + " to " +
                  std::to_string(b.last_section));
    if (!sound_windows(b))
      out.add(FindingKind::malformed, b.name + "/windows", "buffer " + b.name + " has windows that cannot be"),
          ok = false;
    ok = inside(p, "buffer " + b.name, b.arena, b.offset, b.size, FindingKind::bounds, out) && ok;
  }
  return ok;
}

void check_memory(const Program& p, const hw::Device& d, Findings& out) {
  const auto memories = memories_of(p, d);
  for (std::size_t a = 0; a < p.arenas.size(); ++a) {
    if (memories[a] < 0) continue;
    const hw::Memory& m = d.memories[static_cast<std::size_t>(memories[a])];
    if (p.arenas[a].size > m.free())
      out.add(FindingKind::fit, m.name,
              "memory " + m.name + " has " + std::to_string(m.free()) + " bytes free of " + std::to_string(m.size) +
                  ", the arena needs " + std::to_string(p.arenas[a].size));
  }
  auto section = [&](int s) {
    return s < static_cast<int>(p.sections.size()) ? p.sections[static_cast<std::size_t>(s)].name : "the end";
  };
  for (std::size_t i = 0; i < p.buffers.size(); ++i) {
    const Buffer& a = p.buffers[i];
    for (std::size_t j = 0; j < i; ++j) {
      const Buffer& b = p.buffers[j];
      int where = 0;
      if (!meet(a, b) || !share(a, b) || hand_over(a, b) || !collide(a, b, where)) continue;
      out.add(FindingKind::lifetime, a.name + "/" + b.name,
              "buffers " + b.name + " at " + range_text(p, b.arena, b.offset, b.offset + b.size) + " and " + a.name +
                  " at " + range_text(p, a.arena, a.offset, a.offset + a.size) + " both live in " + section(where));
    }
    if (a.role == program::BufferRole::weights || a.role == program::BufferRole::constants) continue;
    // What one run leaves there, the next one finds: no section may take these bytes for anything else.
    if (a.role == program::BufferRole::state &&
        (a.first_section > 0 || a.last_section + 1 < static_cast<int>(p.sections.size()) || !a.windows.empty()))
      out.add(FindingKind::lifetime, a.name + "/state",
              "state " + a.name + " does not live from the first section to the last");
    for (const auto& l : p.preloads)
      if (l.arena == a.arena && l.offset < a.offset + a.size && a.offset < l.offset + l.size && !first_values(l, a))
        out.add(FindingKind::lifetime, a.name + "/resident",
                "buffer " + a.name + " at " + range_text(p, a.arena, a.offset, a.offset + a.size) +
                    " shares bytes with resident weights at " + range_text(p, l.arena, l.offset, l.offset + l.size));
    if (a.arena == p.constants_arena && a.offset < p.constants_size && a.size > 0)
      out.add(FindingKind::lifetime, a.name + "/image",
              "buffer " + a.name + " at " + range_text(p, a.arena, a.offset, a.offset + a.size) +
                  " lies in the constants image");
  }
}

std::vector<int> buffer_groups(const Program& p) {
  std::vector<int> group(p.buffers.size());
  std::iota(group.begin(), group.end(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < group.size(); ++i)
      for (std::size_t j = 0; j < group.size(); ++j)
        if (group[i] > group[j] && hand_over(p.buffers[i], p.buffers[j])) group[i] = group[j], changed = true;
  }
  return group;
}

}  // namespace dse::plan::check_detail
