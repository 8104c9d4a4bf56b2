#include "deploy/emulate/promise.h"

#include <fmt/format.h>

#include <sstream>

namespace dse::deploy {
namespace {

/// Stack of what stands above dse_init() and dse_run() in the image: start-up and self-test.
constexpr std::int64_t kStartStack = 256;

}  // namespace

std::int64_t objects_of(const std::string& symbols) {
  std::istringstream in(symbols);
  std::int64_t bytes = 0;
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string name, kind, value, size;
    fields >> name >> kind >> value >> size;
    const bool variable = kind.size() == 1 && std::string("bBdDcC").find(kind) != std::string::npos;
    if (variable && !size.empty() && !name.starts_with("emulate_")) bytes += std::stoll(size, nullptr, 16);
  }
  return bytes;
}

std::string broken_promise(const Promise& promise, std::int64_t objects, std::int64_t stack) {
  if (promise.objects >= 0 && objects != promise.objects)
    return fmt::format("linking gives {} bytes of objects in RAM, and {} are promised", objects, promise.objects);
  if (promise.stack >= 0 && stack > promise.stack + kStartStack)
    return fmt::format("the stack took {} bytes, and {} are promised", stack, promise.stack);
  return {};
}

}  // namespace dse::deploy
