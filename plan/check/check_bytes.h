// The history of an arena's bytes while tasks are issued: who wrote them last, through which buffer, and who has read
// them since.
//
// Histories are numbered: a program has few different ones (a handful per task) and many bytes. Bytes of one number are
// looked at once per operation, and what the operation makes of them is another number. Numbers are kept per page while
// the page has one history, per word of four bytes where it has several, per byte where words have.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "plan/check/check_order.h"

namespace dse::plan::check_detail {

constexpr std::int32_t kGiven = -1;     // written before task 0: inputs, state
constexpr std::int32_t kConstant = -2;  // written before task 0 and for ever: constants image, resident weights
constexpr int kNoOwner = -1;

/// What an access of one task met. `other`: the earlier task, where there is one.
struct Conflict {
  enum class Kind { race, undefined, foreign, constant, twice } kind;
  std::int64_t begin, end;
  std::int32_t other;
  int owner;  // foreign: the buffer through which the bytes were written
};

class ByteHistory {
 public:
  explicit ByteHistory(const HappensBefore& order) : order_(&order) {}

  /// Bytes that are there before task 0; a later call wins. Only before the first access.
  void give(std::int64_t begin, std::int64_t end, std::int32_t writer, int owner);
  /// Task `task` reads [begin, end), begin >= 0, through the buffer group `owner` (kNoOwner: any). Conflicts are
  /// appended to `out` in address order.
  void read(std::int32_t task, std::int64_t begin, std::int64_t end, int owner, std::vector<Conflict>& out);
  void write(std::int32_t task, std::int64_t begin, std::int64_t end, int owner, std::vector<Conflict>& out);
  /// Appends the bytes of [begin, end) that no task wrote or that were written through another buffer group.
  void expect(std::int64_t begin, std::int64_t end, int owner, std::vector<Conflict>& out);
  /// Appends the bytes of [begin, end) that a task has written, as Kind::foreign with that task.
  void untouched(std::int64_t begin, std::int64_t end, std::vector<Conflict>& out);

 private:
  using Id = std::uint32_t;  // number of a history; 0 = nothing has written these bytes
  struct History {
    std::int32_t writer;
    int owner;
    std::size_t first_reader;  // in readers_: the latest one of each queue
    int reader_count;
  };
  /// What the operation `operation` makes of the bytes of one history.
  struct Step {
    std::uint64_t operation = 0;
    Id next = 0;
    bool conflicts = false;
  };
  struct Stretch {
    std::int64_t begin, end;
    Id id;
  };
  static constexpr std::int32_t kNobody = -3;
  static constexpr std::int64_t kPage = 64, kPages = 1024, kChunk = kPage * kPages;  // bytes, pages, bytes
  static constexpr Id kDetailed = Id{1} << 31, kBytes = Id{1} << 30;  // a page's entry numbers its Detail; per byte
  static constexpr int kWordBits = 2;
  using Chunk = std::array<Id, kPages>;
  using Detail = std::array<Id, kPage>;  // per word (the first 16 entries) or per byte

  bool unordered(std::int32_t earlier, std::int32_t later) const {
    return earlier >= 0 && earlier != later && !order_->ordered(earlier, later);
  }
  Id add(const History& h);
  Step step(Id id, bool write);
  void describe(const Stretch& s, bool write, std::vector<Conflict>& out) const;
  void access(std::int32_t task, std::int64_t begin, std::int64_t end, int owner, bool write,
              std::vector<Conflict>& out);
  Chunk& chunk(std::int64_t number);
  void fill_given(Chunk& chunk, std::int64_t number);
  Id& page_in(Chunk& chunk, std::int64_t at) { return chunk[static_cast<std::size_t>(at / kPage % kPages)]; }
  Detail& detail_of(Id page) { return details_[page & ~(kDetailed | kBytes)]; }
  void detail(Id& page, bool bytes);
  void uniform(Id& page, Id id);
  template <class Change>
  void visit(std::int64_t begin, std::int64_t end, Change&& change);
  template <class Change>
  void visit(Chunk& chunk, std::int64_t begin, std::int64_t end, Change&& change);

  const HappensBefore* order_;
  std::vector<History> histories_{{kNobody, kNoOwner, 0, 0}};
  std::vector<std::int32_t> readers_;
  std::vector<Stretch> given_;
  // The operation under way: one task's reads or writes through one buffer group.
  std::uint64_t operation_ = 0;
  std::int32_t task_ = -1;
  int owner_ = kNoOwner;
  bool write_ = false;
  Id written_ = 0;           // its history, once it has written
  std::vector<Step> steps_;  // per history
  std::vector<Stretch> conflicts_;

  std::unordered_map<std::int64_t, std::unique_ptr<Chunk>> chunks_;
  std::int64_t last_number_ = -1;
  Chunk* last_chunk_ = nullptr;
  std::vector<Detail> details_;
  std::vector<Id> free_details_;
};

}  // namespace dse::plan::check_detail
