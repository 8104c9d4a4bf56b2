// How much of a slow test is run: all of it, or the per cent that the environment variable DSE_SLOW says; how many
// random cases.
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

/// The random cases that are drawn: all, or where sanitizers look on, which makes each take several times as long, a
/// quarter.
constexpr int of_cases(int all) {
#if defined(__SANITIZE_ADDRESS__)
  return all / 4;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  return all / 4;
#else
  return all;
#endif
#else
  return all;
#endif
}

}  // namespace dse::test
