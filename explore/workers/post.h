// What a worker says of the item that it has in hand.
#pragma once
#include <cstdint>
#include <string>

namespace dse::explore {

class Post {
 public:
  virtual ~Post() = default;
  /// The candidate in hand from now on, in the caller's numbers; -1 until the first mark of an item. Also a sign of
  /// life. Costs a few nanoseconds.
  virtual void mark(std::int64_t candidate) = 0;
  /// Reaches on_message in the parent: in order, before on_done, whatever becomes of the worker afterwards. Messages
  /// travel in batches, at the latest with the first mark or message 50 ms after the last batch. Also a sign of life.
  virtual void send(const std::string& message) = 0;
};

}  // namespace dse::explore
