#include "plan/check/check_bytes.h"

#include <algorithm>

namespace dse::plan::check_detail {

void ByteHistory::give(std::int64_t begin, std::int64_t end, std::int32_t writer, int owner) {
  if (begin < end) given_.push_back({begin, end, add({writer, owner, 0, 0})});
}

void ByteHistory::read(std::int32_t task, std::int64_t begin, std::int64_t end, int owner, std::vector<Conflict>& out) {
  access(task, begin, end, owner, false, out);
}

void ByteHistory::write(std::int32_t task, std::int64_t begin, std::int64_t end, int owner,
                        std::vector<Conflict>& out) {
  access(task, begin, end, owner, true, out);
}

void ByteHistory::access(std::int32_t task, std::int64_t begin, std::int64_t end, int owner, bool write,
                         std::vector<Conflict>& out) {
  if (begin >= end) return;
  if (task != task_ || owner != owner_ || write != write_ || operation_ == 0) {
    ++operation_;
    task_ = task, owner_ = owner, write_ = write, written_ = 0;
  }
  conflicts_.clear();
  visit(begin, end, [&](Id id, std::int64_t from, std::int64_t to) {
    const Step s = id < steps_.size() && steps_[id].operation == operation_ ? steps_[id] : step(id, write);
    if (s.conflicts) {
      if (!conflicts_.empty() && conflicts_.back().end == from && conflicts_.back().id == id)
        conflicts_.back().end = to;
      else
        conflicts_.push_back({from, to, id});
    }
    return s.next;
  });
  for (const Stretch& s : conflicts_) describe(s, write, out);
}

void ByteHistory::expect(std::int64_t begin, std::int64_t end, int owner, std::vector<Conflict>& out) {
  std::vector<Stretch> stretches;
  visit(begin, end, [&](Id id, std::int64_t from, std::int64_t to) {
    if (!stretches.empty() && stretches.back().id == id)
      stretches.back().end = to;
    else
      stretches.push_back({from, to, id});
    return id;
  });
  std::int64_t at = begin;
  for (const Stretch& s : stretches) {
    const History& h = histories_[s.id];
    if (h.writer < 0) continue;  // given, not made; or not even given
    if (s.begin > at) out.push_back({Conflict::Kind::undefined, at, s.begin, -1, kNoOwner});
    if (owner != kNoOwner && h.owner != kNoOwner && h.owner != owner)
      out.push_back({Conflict::Kind::foreign, s.begin, s.end, h.writer, h.owner});
    at = s.end;
  }
  if (at < end) out.push_back({Conflict::Kind::undefined, at, end, -1, kNoOwner});
}

void ByteHistory::untouched(std::int64_t begin, std::int64_t end, std::vector<Conflict>& out) {
  visit(begin, end, [&](Id id, std::int64_t from, std::int64_t to) {
    const History& h = histories_[id];
    if (h.writer < 0) return id;
    if (!out.empty() && out.back().end == from && out.back().other == h.writer)
      out.back().end = to;
    else
      out.push_back({Conflict::Kind::foreign, from, to, h.writer, h.owner});
    return id;
  });
}

ByteHistory::Id ByteHistory::add(const History& h) {
  histories_.push_back(h);
  return static_cast<Id>(histories_.size() - 1);
}

/// What the operation under way makes of the bytes of a history; looked up from then on.
ByteHistory::Step ByteHistory::step(Id id, bool write) {
  std::vector<Conflict> met;
  describe({0, 1, id}, write, met);
  Step s{operation_, id, !met.empty()};
  const History h = histories_[id];
  if (write) {
    if (written_ == 0) written_ = add({task_, owner_, 0, 0});
    s.next = written_;
  } else if (h.writer != kNobody && h.writer != kConstant) {  // nobody may write constants: readers do not matter
    const auto queue = order_->note(task_).queue;
    const auto first = readers_.size();
    bool known = false;
    for (int i = 0; i < h.reader_count; ++i) {
      // The queue is in order: whoever is after this reader is after the earlier ones.
      const std::int32_t r = readers_[h.first_reader + static_cast<std::size_t>(i)];
      known = known || r == task_;
      if (order_->note(r).queue != queue) readers_.push_back(r);
    }
    readers_.push_back(task_);
    if (known)
      readers_.resize(first);
    else
      s.next = add({h.writer, h.owner, first, static_cast<int>(readers_.size() - first)});
  }
  if (steps_.size() < histories_.size()) steps_.resize(std::max(histories_.size(), 2 * steps_.size()));
  return steps_[id] = s;
}

/// The conflicts of the operation under way with the bytes of one history.
void ByteHistory::describe(const Stretch& s, bool write, std::vector<Conflict>& out) const {
  const History& h = histories_[s.id];
  const auto add = [&](Conflict::Kind kind, std::int32_t other, int owner) {
    out.push_back({kind, s.begin, s.end, other, owner});
  };
  if (!write && h.writer == kNobody) add(Conflict::Kind::undefined, -1, kNoOwner);
  if (write && h.writer == kConstant) add(Conflict::Kind::constant, -1, kNoOwner);
  if (write && h.writer == task_) add(Conflict::Kind::twice, task_, kNoOwner);
  if (unordered(h.writer, task_)) add(Conflict::Kind::race, h.writer, kNoOwner);
  if (write) {
    for (int i = 0; i < h.reader_count; ++i) {
      const std::int32_t r = readers_[h.first_reader + static_cast<std::size_t>(i)];
      if (unordered(r, task_)) add(Conflict::Kind::race, r, kNoOwner);
    }
  } else if (owner_ != kNoOwner && h.owner != kNoOwner && h.owner != owner_) {
    add(Conflict::Kind::foreign, h.writer, h.owner);
  }
}

ByteHistory::Chunk& ByteHistory::chunk(std::int64_t number) {
  if (number == last_number_) return *last_chunk_;
  auto& slot = chunks_[number];
  last_number_ = number;
  if (!slot) {
    slot = std::make_unique<Chunk>();
    slot->fill(0);
    fill_given(*slot, number);
  }
  last_chunk_ = slot.get();
  return *slot;
}

void ByteHistory::fill_given(Chunk& chunk, std::int64_t number) {
  for (const Stretch& g : given_)
    visit(chunk, std::max(g.begin, number * kChunk), std::min(g.end, (number + 1) * kChunk),
          [&](Id, std::int64_t, std::int64_t) { return g.id; });
}

/// Gives a page entries per word or per byte.
void ByteHistory::detail(Id& page, bool bytes) {
  if (!(page & kDetailed)) {
    if (free_details_.empty()) {
      free_details_.push_back(static_cast<Id>(details_.size()));
      details_.emplace_back();
    }
    const Id number = free_details_.back();
    free_details_.pop_back();
    Detail& d = details_[number];
    std::fill_n(d.begin(), bytes ? kPage : kPage >> kWordBits, page);
    page = number | kDetailed | (bytes ? kBytes : 0);
  } else if (bytes && !(page & kBytes)) {
    Detail& d = detail_of(page);
    for (std::size_t i = kPage; i-- > 0;) d[i] = d[i >> kWordBits];
    page |= kBytes;
  }
}

void ByteHistory::uniform(Id& page, Id id) {
  free_details_.push_back(page & ~(kDetailed | kBytes));
  page = id;
}

/// Calls change(history, begin, end) for stretches of equal history in address order (neighbours may have the same) and
/// gives the bytes the history that it returns.
template <class Change>
void ByteHistory::visit(std::int64_t begin, std::int64_t end, Change&& change) {
  while (begin < end) {
    const std::int64_t number = begin / kChunk, stop = std::min(end, (number + 1) * kChunk);
    visit(chunk(number), begin, stop, change);
    begin = stop;
  }
}

template <class Change>
void ByteHistory::visit(Chunk& chunk, std::int64_t begin, std::int64_t end, Change&& change) {
  while (begin < end) {
    const std::int64_t start = begin / kPage * kPage, stop = std::min(end, start + kPage);
    Id& page = page_in(chunk, start);
    const bool whole = stop - begin == kPage, bytes = ((begin | stop) & ((1 << kWordBits) - 1)) != 0;
    if (whole && !(page & kDetailed)) {  // and all such pages behind it
      const Id id = page;
      Id *const last = &page + (end - start) / kPage, *to = &page + 1;
      while (to < last && *to == id) ++to;
      const std::int64_t reached = start + (to - &page) * kPage;
      if (const Id next = change(id, begin, reached); next != id) std::fill(&page, to, next);
      begin = reached;
      continue;
    }
    if (!(page & kDetailed)) {
      const Id id = page, next = change(id, begin, stop);
      if (next != id) {
        detail(page, bytes);
        const int shift = bytes ? 0 : kWordBits;
        std::fill(&detail_of(page)[(begin - start) >> shift], &detail_of(page)[0] + ((stop - start) >> shift), next);
      }
    } else {
      if (bytes) detail(page, true);
      const int shift = page & kBytes ? 0 : kWordBits;
      Id* const first = detail_of(page).data();
      Id *at = first + ((begin - start) >> shift), *const last = first + ((stop - start) >> shift);
      Id one = 0;  // what all bytes of the page have now
      bool same = whole;
      while (at < last) {
        const Id id = *at;
        Id* to = at + 1;
        while (to < last && *to == id) ++to;
        const Id next = change(id, start + ((at - first) << shift), start + ((to - first) << shift));
        if (next != id) std::fill(at, to, next);
        same = same && (at == first || next == one);
        one = next;
        at = to;
      }
      if (same) uniform(page, one);
    }
    begin = stop;
  }
}

}  // namespace dse::plan::check_detail
