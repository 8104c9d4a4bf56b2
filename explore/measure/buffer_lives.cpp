#include "explore/measure/buffer_lives.h"

#include <algorithm>
#include <limits>
#include <map>

#include "base/diagnostics.h"
#include "base/units.h"
#include "program/section_layers.h"

namespace dse::explore {
namespace {

const char* name_of(program::BufferRole r) {
  static const char* const names[] = {"tensor",  "tile",    "weights",   "partial sums",
                                      "scratch", "staging", "constants", "state"};
  return names[static_cast<int>(r)];
}

/// Ticks of the tasks of every section, by their numbers.
class Clock {
 public:
  Clock(const program::Program& program, const sim::RunResult& run) : run_(run), starts_(program.sections.size()) {
    streams(program);
    for (const auto& t : run.trace) {
      if (static_cast<std::size_t>(t.section) >= starts_.size()) continue;
      if (program::stream_of(program.templates[static_cast<std::size_t>(t.template_index)])) continue;
      auto& list = starts_[static_cast<std::size_t>(t.section)];
      list.push_back(std::max({t.start, list.empty() ? 0 : list.back(), begin(t.section)}));
    }
  }
  std::int64_t begin(int section) const {
    return section > 0 ? run_.section_end[static_cast<std::size_t>(section) - 1] : 0;
  }
  std::int64_t end(int section) const { return run_.section_end[static_cast<std::size_t>(section)]; }
  /// When the time of task `number` of a section begins; that of the first one begins with the section.
  std::int64_t at(int section, std::int64_t number) const {
    const auto& list = starts_[static_cast<std::size_t>(section)];
    if (number <= 0) return begin(section);
    return number < static_cast<std::int64_t>(list.size()) ? list[static_cast<std::size_t>(number)] : end(section);
  }

 private:
  /// Kernels run at even times, each from the end of those before; odd ones are half-way.
  void streams(const program::Program& program) {
    for (const auto& task : run_.trace) {
      const auto* stream = program::stream_of(program.templates[static_cast<std::size_t>(task.template_index)]);
      if (!stream) continue;
      auto& list = starts_.at(static_cast<std::size_t>(task.section));
      std::vector<std::int64_t> ends;
      for (const auto& k : run_.kernels) {
        if (k.section != task.section || static_cast<std::size_t>(k.number) >= stream->times.size()) continue;
        const auto time = static_cast<std::size_t>(stream->times[static_cast<std::size_t>(k.number)]) / 2;
        if (ends.size() <= time) ends.resize(time + 1, 0);
        ends[time] = std::max(ends[time], k.end);
      }
      std::int64_t from = begin(task.section);
      for (const std::int64_t end : ends) {
        list.push_back(from), list.push_back(from + std::max<std::int64_t>(0, end - from) / 2);
        from = std::max(from, end);
      }
    }
  }

  const sim::RunResult& run_;
  std::vector<std::vector<std::int64_t>> starts_;
};

void add_window(LifeWindow w, std::vector<LifeWindow>& out) {
  if (w.to_tick <= w.from_tick || w.end <= w.begin) return;
  for (auto last = out.rbegin(); last != out.rend() && last->to_tick == w.from_tick; ++last)
    if (last->begin == w.begin && last->end == w.end) {
      last->to_tick = w.to_tick;
      return;
    }
  out.push_back(w);
}

std::vector<LifeWindow> windows_of(const program::Buffer& b, const Clock& clock) {
  std::vector<LifeWindow> out;
  auto next = b.windows.begin();
  for (int s = b.first_section; s <= b.last_section; ++s) {
    while (next != b.windows.end() && next->section < s) ++next;
    if (next == b.windows.end() || next->section != s)
      add_window({clock.begin(s), clock.end(s), 0, b.size}, out);
    else
      for (; next != b.windows.end() && next->section == s; ++next)
        add_window(
            {clock.at(s, next->first_task), clock.at(s, std::int64_t{next->last_task} + 1), next->begin, next->end},
            out);
  }
  return out;
}

/// Bytes [begin, end) that a buffer takes, in whole units, during tasks first..last of a section.
struct Piece {
  std::size_t life;
  int first, last;
  std::int64_t begin, end;
};

/// Number of the task at which most is taken, the first one if there are several.
int peak_task(const std::vector<Piece>& parts) {
  std::map<std::int64_t, std::int64_t> steps;  // task number -> change
  for (const auto& p : parts) {
    steps[p.first] += p.end - p.begin;
    steps[std::int64_t{p.last} + 1] -= p.end - p.begin;
  }
  std::int64_t now = 0, most = 0;
  int peak = 0;
  for (const auto& [task, change] : steps) {
    now += change;
    if (now > most) most = now, peak = static_cast<int>(task);
  }
  return peak;
}

/// Bytes that each buffer takes at a task; those of two buffers go to the first one.
std::map<std::size_t, std::int64_t> shares(const std::vector<Piece>& parts, int task) {
  std::map<std::size_t, std::int64_t> out;
  std::map<std::int64_t, std::int64_t> taken;  // begin -> end, apart from each other
  for (const auto& p : parts) {
    if (task < p.first || task > p.last) continue;
    auto begin = p.begin, end = p.end;
    std::int64_t covered = 0;
    auto at = taken.upper_bound(begin);
    if (at != taken.begin() && std::prev(at)->second >= begin) --at;
    while (at != taken.end() && at->first <= end) {
      covered += std::max<std::int64_t>(0, std::min(at->second, p.end) - std::max(at->first, p.begin));
      begin = std::min(begin, at->first), end = std::max(end, at->second);
      at = taken.erase(at);
    }
    taken[begin] = end;
    out[p.life] += p.end - p.begin - covered;
  }
  return out;
}

}  // namespace

std::vector<BufferLife> buffer_lives(const program::Program& program, const sim::RunResult& run) {
  const Clock clock(program, run);
  const program::SectionLayers layers(program);
  std::vector<BufferLife> out;
  for (const auto& b : program.buffers) {
    BufferLife life;
    life.name = b.name, life.role = name_of(b.role);
    life.memory = program.arenas[static_cast<std::size_t>(b.arena)].name;
    life.offset = b.offset, life.size = b.size;
    life.from_tick = clock.begin(b.first_section);
    life.to_tick = clock.end(b.last_section);
    life.first = layers.first_row(b.first_section), life.last = layers.last_row(b.last_section);
    if (!b.windows.empty()) {
      ensure(!run.trace.empty(), "windows of buffers take a trace");
      life.windows = windows_of(b, clock);
    }
    out.push_back(std::move(life));
  }
  return out;
}

std::int64_t counted_bytes(std::int64_t offset, std::int64_t size, std::int64_t alignment) {
  return size == 0 ? 0 : (ceil_div(offset + size, alignment) - offset / alignment) * alignment;
}

void count_lives(const program::Program& program, const std::string& memory, std::int64_t origin,
                 std::int64_t alignment, std::vector<BufferLife>& lives) {
  const program::SectionLayers layers(program);
  std::vector<std::vector<Piece>> sections(program.sections.size());
  for (std::size_t i = 0; i < lives.size(); ++i) {
    auto& life = lives[i];
    if (life.memory != memory) continue;
    const auto offset = life.offset - origin;
    const auto& b = program.buffers[i];
    // A tensor of which a tile's worth is there at a time is a ring of rows.
    const std::int64_t unit = b.tensor >= 0 && b.role == program::BufferRole::tile ? 1 : alignment;
    life.unit = unit;
    life.counted = counted_bytes(offset, life.size, unit);
    auto next = b.windows.begin();
    for (int s = b.first_section; s <= b.last_section; ++s) {
      auto& parts = sections[static_cast<std::size_t>(s)];
      const auto add = [&](int first, int last, std::int64_t begin, std::int64_t end) {
        if (begin < end)
          parts.push_back({i, first, last, (offset + begin) / unit * unit, ceil_div(offset + end, unit) * unit});
      };
      while (next != b.windows.end() && next->section < s) ++next;
      if (next == b.windows.end() || next->section != s) add(0, std::numeric_limits<int>::max(), 0, b.size);
      for (; next != b.windows.end() && next->section == s; ++next)
        add(next->first_task, next->last_task, next->begin, next->end);
    }
  }
  for (std::size_t s = 0; s < sections.size(); ++s) {
    const auto at_peak = shares(sections[s], peak_task(sections[s]));
    for (std::size_t i = 0; i < lives.size(); ++i) {
      const auto& b = program.buffers[i];
      const auto section = static_cast<int>(s);
      if (lives[i].memory != memory || section < b.first_section || section > b.last_section) continue;
      const auto share = at_peak.find(i);
      const auto bytes = share == at_peak.end() ? 0 : share->second;
      if (bytes != lives[i].counted) lives[i].at_peak.push_back({layers.first_row(section), bytes});
    }
  }
}

}  // namespace dse::explore
