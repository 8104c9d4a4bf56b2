// How much of a slow test is run: all of it, or the per cent that the environment variable DSE_SLOW says.
#pragma once
#include <algorithm>
#include <cstdlib>

namespace dse::test {

/// The share of `all` that is asked for, at least one.
inline int of_slow(int all) {
  const char* asked = std::getenv("DSE_SLOW");
  const int percent = asked ? std::clamp(std::atoi(asked), 1, 100) : 100;
  return std::max(1, all * percent / 100);
}

}  // namespace dse::test
