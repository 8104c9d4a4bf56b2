#include "plan/check/check_live.h"

#include <algorithm>

#include "plan/check/check_bytes.h"
#include "plan/check/check_report.h"

namespace dse::plan::check_detail {

using program::Access;

LiveBuffers::LiveBuffers(const program::Program& program)
    : program_(program),
      groups_(buffer_groups(program)),
      buffers_(program.arenas.size()),
      window_(program.buffers.size(), 0) {}

void LiveBuffers::enter_next() {
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
}

bool LiveBuffers::contains(int buffer, const Access& a) const {
  const auto& b = program_.buffers[buffer];
  return b.offset <= a.begin && a.end <= b.offset + b.size;
}

bool LiveBuffers::uses(int buffer, const Access& a) {
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

bool LiveBuffers::covered(const Access& a) const {
  auto covered = a.begin;
  for (const int i : buffers_[a.arena]) {  // by offset
    const auto& b = program_.buffers[i];
    if (b.offset <= covered) covered = std::max(covered, b.offset + b.size);
  }
  return covered >= a.end;
}

int LiveBuffers::windowed_at(const Access& a) {
  for (const int buffer : buffers_[a.arena])
    if (contains(buffer, a) && uses(buffer, a)) return buffer;
  return -1;
}

int LiveBuffers::buffer_at(const Access& a) {
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

bool LiveBuffers::in_given_range(const Access& a) const {
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

bool LiveBuffers::at_edge(const program::Buffer& b, const program::Port& port, int section, bool at_end) const {
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

int LiveBuffers::owner_in(const program::Port& port, int section, bool at_end) const {
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

}  // namespace dse::plan::check_detail
