#include "plan/check_bytes.h"

#include <algorithm>

namespace dse::plan::check_detail {

void ByteHistory::split(std::int64_t at) {
  auto it = segments_.upper_bound(at);
  if (it == segments_.begin()) return;
  --it;
  if (it->first == at || it->second.end <= at) return;
  Segment tail = it->second;
  it->second.end = at;
  segments_.emplace_hint(std::next(it), at, tail);
}

void ByteHistory::give(std::int64_t begin, std::int64_t end, std::int32_t writer, int owner) {
  if (begin >= end) return;
  split(begin);
  split(end);
  segments_.erase(segments_.lower_bound(begin), segments_.lower_bound(end));
  Segment s;
  s.end = end;
  s.writer = writer;
  s.owner = owner;
  segments_.emplace(begin, s);
}

void ByteHistory::add_reader(Segment& s, std::int32_t task) {
  const std::int32_t queue = order_->note(task).queue;
  for (int i = 0; i < s.reader_count; ++i) {
    auto& r = s.readers[static_cast<std::size_t>(i)];
    if (order_->note(r).queue != queue) continue;
    r = task;  // the queue is in order: whoever is after this one is after the earlier ones
    return;
  }
  s.readers[static_cast<std::size_t>(s.reader_count++)] = task;
}

void ByteHistory::read(std::int32_t task, std::int64_t begin, std::int64_t end, int owner, const Report& report) {
  if (begin >= end) return;
  auto it = segments_.upper_bound(begin);
  if (it != segments_.begin() && std::prev(it)->second.end > begin) --it;
  const bool constant =
      it != segments_.end() && it->first <= begin && it->second.end >= end && it->second.writer == kConstant;
  if (constant) return;  // nobody may write there: its readers do not matter
  split(begin);
  split(end);
  std::int64_t at = begin;
  for (it = segments_.lower_bound(begin); it != segments_.end() && it->first < end;) {
    Segment& s = it->second;
    if (it->first > at) report({Conflict::Kind::undefined, at, it->first, -1, kNoOwner});
    if (unordered(s.writer, task)) report({Conflict::Kind::race, it->first, s.end, s.writer, kNoOwner});
    if (owner != kNoOwner && s.owner != kNoOwner && s.owner != owner)
      report({Conflict::Kind::foreign, it->first, s.end, s.writer, s.owner});
    at = s.end;
    if (s.writer != kConstant) add_reader(s, task);
    if (it != segments_.begin()) {  // keep the map small: neighbours with one history become one
      auto before = std::prev(it);
      Segment& b = before->second;
      if (b.end == it->first && b.writer == s.writer && b.owner == s.owner && b.reader_count == s.reader_count &&
          std::equal(b.readers.begin(), b.readers.begin() + b.reader_count, s.readers.begin())) {
        b.end = s.end;
        it = segments_.erase(it);
        continue;
      }
    }
    ++it;
  }
  if (at < end) report({Conflict::Kind::undefined, at, end, -1, kNoOwner});
}

void ByteHistory::write(std::int32_t task, std::int64_t begin, std::int64_t end, int owner, const Report& report) {
  if (begin >= end) return;
  split(begin);
  split(end);
  auto it = segments_.lower_bound(begin);
  while (it != segments_.end() && it->first < end) {
    const Segment& s = it->second;
    if (s.writer == kConstant) report({Conflict::Kind::constant, it->first, s.end, -1, kNoOwner});
    if (s.writer == task) report({Conflict::Kind::twice, it->first, s.end, task, kNoOwner});
    if (unordered(s.writer, task)) report({Conflict::Kind::race, it->first, s.end, s.writer, kNoOwner});
    for (int i = 0; i < s.reader_count; ++i) {
      const std::int32_t r = s.readers[static_cast<std::size_t>(i)];
      if (unordered(r, task)) report({Conflict::Kind::race, it->first, s.end, r, kNoOwner});
    }
    it = segments_.erase(it);
  }
  Segment s;
  s.end = end;
  s.writer = task;
  s.owner = owner;
  segments_.emplace_hint(it, begin, s);
}

void ByteHistory::expect(std::int64_t begin, std::int64_t end, int owner, const Report& report) const {
  std::int64_t at = begin;
  auto it = segments_.upper_bound(begin);
  if (it != segments_.begin() && std::prev(it)->second.end > begin) --it;
  for (; it != segments_.end() && it->first < end; ++it) {
    const Segment& s = it->second;
    if (s.writer < 0) continue;  // given, not made
    if (it->first > at) report({Conflict::Kind::undefined, at, it->first, -1, kNoOwner});
    if (owner != kNoOwner && s.owner != kNoOwner && s.owner != owner)
      report({Conflict::Kind::foreign, std::max(begin, it->first), std::min(end, s.end), s.writer, s.owner});
    at = s.end;
  }
  if (at < end) report({Conflict::Kind::undefined, at, end, -1, kNoOwner});
}

}  // namespace dse::plan::check_detail
