#include "plan/check/check_order.h"

#include <algorithm>

namespace dse::plan::check_detail {

HappensBefore::HappensBefore(const program::Program& p)
    : queues_(p.queues.size()), by_queue_(p.queues.size()), control_(p.queues.size(), 0) {}

bool HappensBefore::well_founded(const program::TaskInstance& t) const {
  for (int i = 0; i < t.after_count; ++i) {
    const program::Completion c = t.after[static_cast<std::size_t>(i)];
    if (c.queue < 0 || c.queue >= static_cast<std::int32_t>(queues_)) return false;
    if (c.count > static_cast<std::int32_t>(by_queue_[static_cast<std::size_t>(c.queue)].size())) return false;
  }
  return true;
}

void HappensBefore::join(std::int32_t* clock, program::Completion c) const {
  if (c.count <= 0) return;
  const auto q = static_cast<std::size_t>(c.queue);
  const auto task = static_cast<std::size_t>(by_queue_[q][static_cast<std::size_t>(c.count - 1)]);
  const std::int32_t* start = &starts_[task * queues_];
  for (std::size_t k = 0; k < queues_; ++k) clock[k] = std::max(clock[k], start[k]);
  clock[q] = std::max(clock[q], c.count);
}

std::int32_t HappensBefore::issue(const program::TaskInstance& t) {
  const auto number = static_cast<std::int32_t>(notes_.size());
  const auto q = static_cast<std::size_t>(t.queue);
  const std::size_t own = starts_.size();
  starts_.insert(starts_.end(), control_.begin(), control_.end());
  std::int32_t* clock = &starts_[own];
  join(clock, {t.queue, static_cast<std::int32_t>(by_queue_[q].size())});
  for (int i = 0; i < t.after_count; ++i) join(clock, t.after[static_cast<std::size_t>(i)]);
  by_queue_[q].push_back(number);
  notes_.push_back({t.section, t.tile, t.queue, static_cast<std::int32_t>(by_queue_[q].size()), t.task});
  return number;
}

void HappensBefore::wait(const program::TaskInstance& t) {
  for (int i = 0; i < t.after_count; ++i) join(control_.data(), t.after[static_cast<std::size_t>(i)]);
}

std::int32_t HappensBefore::in_flight() const {
  for (std::size_t q = 0; q < queues_; ++q)
    if (control_[q] < static_cast<std::int32_t>(by_queue_[q].size()))
      return by_queue_[q][static_cast<std::size_t>(control_[q])];
  return -1;
}

}  // namespace dse::plan::check_detail
