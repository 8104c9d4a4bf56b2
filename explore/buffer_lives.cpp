#include "explore/buffer_lives.h"

#include <algorithm>
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
    for (const auto& t : run.trace) {
      if (static_cast<std::size_t>(t.section) >= starts_.size()) continue;
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

/// A window on the way to a section's peak.
struct Part {
  std::size_t life;
  int first, last;
  std::int64_t bytes;
};

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
  std::map<int, std::vector<Part>> parts;  // per section
  for (std::size_t i = 0; i < lives.size(); ++i) {
    auto& life = lives[i];
    if (life.memory != memory) continue;
    const auto bytes = [&](std::int64_t begin, std::int64_t end) {
      return counted_bytes(life.offset - origin + begin, end - begin, alignment);
    };
    life.counted = bytes(0, life.size);
    for (auto& w : life.windows) w.counted = bytes(w.begin, w.end);
    for (const auto& w : program.buffers[i].windows)
      parts[w.section].push_back({i, w.first_task, w.last_task, bytes(w.begin, w.end)});
  }
  for (const auto& [section, list] : parts) {
    std::map<int, std::int64_t> steps;  // task number -> change
    for (const auto& p : list) steps[p.first] += p.bytes, steps[p.last + 1] -= p.bytes;
    std::int64_t now = 0, most = -1;
    int peak = 0;
    for (const auto& [task, change] : steps) {
      now += change;
      if (now > most) most = now, peak = task;
    }
    std::map<std::size_t, std::int64_t> at_peak;
    for (const auto& p : list) at_peak[p.life] += p.first <= peak && peak <= p.last ? p.bytes : 0;
    for (const auto& [life, bytes] : at_peak) lives[life].at_peak.push_back({layers.first_row(section), bytes});
  }
}

}  // namespace dse::explore
