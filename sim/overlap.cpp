#include "sim/overlap.h"

#include <algorithm>
#include <limits>

namespace dse::sim {

namespace {

/// A buffer on the time line of all jobs: sections of one job after those of the job before.
struct Live {
  const program::Program* program;
  const program::Buffer* buffer;
  std::size_t job;
  int memory;
  std::int64_t begin, end, from, to;
};
constexpr std::int64_t kJobStride = std::int64_t{1} << 32;

bool same_binding(const program::Job& a, const program::Job& b) {
  return std::equal(a.binding.begin(), a.binding.end(), b.binding.begin(), b.binding.end(),
                    [](const auto& x, const auto& y) { return x.memory == y.memory && x.base == y.base; });
}

/// When the bytes of a buffer must survive: to the job's end, and on to a later job that continues the same program.
void add_live(const std::vector<program::Job>& jobs, std::size_t j, std::vector<Live>& out) {
  const program::Job& job = jobs[j];
  const program::Program& p = *job.program;
  const int count = static_cast<int>(p.sections.size());
  const int last = job.last_section < 0 ? std::max(0, count - 1) : job.last_section;
  for (const program::Buffer& b : p.buffers) {
    if (b.size <= 0 || b.last_section < job.first_section || b.first_section > last) continue;
    const auto& bind = job.binding[static_cast<std::size_t>(b.arena)];
    const std::int64_t origin = static_cast<std::int64_t>(j) * kJobStride;
    Live live{&p,
              &b,
              j,
              bind.memory,
              bind.base + b.offset,
              bind.base + b.offset + b.size,
              origin + std::max(b.first_section, job.first_section),
              origin + std::min(b.last_section, last)};
    if (b.last_section > last)
      for (std::size_t k = j + 1; k < jobs.size(); ++k)
        if (jobs[k].program == job.program && jobs[k].first_section == last + 1 && same_binding(job, jobs[k])) {
          live.to = static_cast<std::int64_t>(k) * kJobStride;
          break;
        }
    out.push_back(live);
  }
}

using Windows = std::vector<program::BufferWindow>;

/// What the buffer takes of this section: its windows there, or all of it from its first task to its last.
Windows windows_in(const program::Buffer& b, int section) {
  Windows out;
  for (const auto& w : b.windows)
    if (w.section == section) out.push_back(w);
  if (out.empty()) out.push_back({section, 0, std::numeric_limits<int>::max(), 0, b.size});
  return out;
}

/// Lowest offset in the arena of a byte that both take while the same task runs; -1 = none.
std::int64_t common_byte(const program::Buffer& a, const program::Buffer& b, int section) {
  const auto of_a = windows_in(a, section), of_b = windows_in(b, section);
  std::int64_t lowest = -1;
  std::size_t from = 0;
  for (const auto& x : of_a) {
    while (from < of_b.size() && of_b[from].last_task < x.first_task) ++from;
    for (std::size_t k = from; k < of_b.size() && of_b[k].first_task <= x.last_task; ++k) {
      const auto& y = of_b[k];
      const std::int64_t begin = std::max(a.offset + x.begin, b.offset + y.begin);
      if (y.last_task < x.first_task || begin >= std::min(a.offset + x.end, b.offset + y.end)) continue;
      if (lowest < 0 || begin < lowest) lowest = begin;
    }
  }
  return lowest;
}

/// Address of a byte that both need at one time; -1 = none. Windows tell within sections of one job; what two jobs need
/// counts as a whole.
std::int64_t meet(const Live& a, const Live& b) {
  if (a.program != b.program || a.job != b.job || (a.buffer->windows.empty() && b.buffer->windows.empty()))
    return b.begin;
  const std::int64_t origin = static_cast<std::int64_t>(a.job) * kJobStride;
  for (auto at = std::max(a.from, b.from); at <= std::min(a.to, b.to); ++at) {
    if (at >= origin + kJobStride) return b.begin;
    const auto byte = common_byte(*a.buffer, *b.buffer, static_cast<int>(at - origin));
    if (byte >= 0) return a.begin - a.buffer->offset + byte;
  }
  return -1;
}

/// Two tensors in the very same place, the second made where the first is used last (in place); or one tensor twice.
bool hand_over(const Live& a, const Live& b) {
  const auto tensor = program::BufferRole::tensor;
  if (a.program != b.program || a.buffer->role != tensor || b.buffer->role != tensor) return false;
  if (a.begin != b.begin || a.end != b.end) return false;
  return a.to == b.from || b.to == a.from || (a.buffer->tensor >= 0 && a.buffer->tensor == b.buffer->tensor);
}

}  // namespace

std::optional<Failure> find_overlap(const hw::Device& device, const std::vector<program::Job>& jobs) {
  std::vector<Live> all;
  for (std::size_t j = 0; j < jobs.size(); ++j) add_live(jobs, j, all);
  std::sort(all.begin(), all.end(), [](const Live& a, const Live& b) {
    return a.memory != b.memory ? a.memory < b.memory : a.begin < b.begin;
  });
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t k = i + 1; k < all.size() && all[k].memory == all[i].memory && all[k].begin < all[i].end; ++k) {
      const Live &a = all[i], &b = all[k];
      if (a.buffer == b.buffer || a.from > b.to || b.from > a.to || hand_over(a, b)) continue;
      const std::int64_t address = meet(a, b);
      if (address < 0) continue;
      const std::string& memory = device.memories[static_cast<std::size_t>(a.memory)].name;
      return Failure{Failure::Kind::overlap, "buffers " + a.buffer->name + " and " + b.buffer->name +
                                                 " are live at once in " + memory + " at address " +
                                                 std::to_string(address)};
    }
  return std::nullopt;
}

}  // namespace dse::sim
