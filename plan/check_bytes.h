// The history of an arena's bytes while tasks are issued: who wrote them last, through which buffer, and who has read
// them since.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>

#include "plan/check_order.h"

namespace dse::plan::check_detail {

constexpr std::int32_t kGiven = -1;     // written before task 0: inputs
constexpr std::int32_t kConstant = -2;  // written before task 0 and for ever: constants image, resident weights
constexpr int kNoOwner = -1;

/// What an access of one task met. `other`: the earlier task, where there is one.
struct Conflict {
  enum class Kind { race, undefined, foreign, constant, twice } kind;
  std::int64_t begin, end;
  std::int32_t other;
  int owner;  // foreign: the buffer through which the bytes were written
};
using Report = std::function<void(const Conflict&)>;

class ByteHistory {
 public:
  explicit ByteHistory(const Order& order) : order_(&order) {}

  /// Bytes that are there before task 0.
  void give(std::int64_t begin, std::int64_t end, std::int32_t writer, int owner);
  /// Task `task` reads [begin, end) through the buffer group `owner` (kNoOwner: any).
  void read(std::int32_t task, std::int64_t begin, std::int64_t end, int owner, const Report& report);
  void write(std::int32_t task, std::int64_t begin, std::int64_t end, int owner, const Report& report);
  /// Calls report for the bytes of [begin, end) that no task wrote or that were written through another buffer group.
  void expect(std::int64_t begin, std::int64_t end, int owner, const Report& report) const;

 private:
  struct Segment {
    std::int64_t end = 0;
    std::int32_t writer = kGiven;
    int owner = kNoOwner;
    int reader_count = 0;
    std::array<std::int32_t, 20> readers{};  // the latest one of each queue
  };
  using Map = std::map<std::int64_t, Segment>;
  void split(std::int64_t at);
  void add_reader(Segment& s, std::int32_t task);
  bool unordered(std::int32_t earlier, std::int32_t later) const {
    return earlier >= 0 && earlier != later && !order_->ordered(earlier, later);
  }

  const Order* order_;
  Map segments_;  // by begin, disjoint; holes are undefined
};

}  // namespace dse::plan::check_detail
