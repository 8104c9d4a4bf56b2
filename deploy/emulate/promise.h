// What linking and running an image has to confirm.
#pragma once
#include <cstdint>
#include <string>

namespace dse::deploy {

/// Bytes of the variables that arm-none-eabi-nm -P lists, those of the start-up code and the self-test left out.
std::int64_t objects_of(const std::string& symbols);

/// Of an image for a 32-bit target: linked_objects(), stack_of(). -1: nothing is promised.
struct Promise {
  std::int64_t objects = -1, stack = -1;
};

/// What of it an image does not keep that has so many bytes of objects and took so much stack, in words; empty:
/// nothing.
std::string broken_promise(const Promise& promise, std::int64_t objects, std::int64_t stack);

}  // namespace dse::deploy
