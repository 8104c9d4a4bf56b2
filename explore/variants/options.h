// How variants of a network are made.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace dse::explore {

struct VariantOptions {
  std::string folder;  // where they are kept: what has been made once is not made again
  const std::atomic<bool>* interrupted = nullptr;
  std::function<void(const std::string& what, std::int64_t done, std::int64_t total)> progress;
};

}  // namespace dse::explore
