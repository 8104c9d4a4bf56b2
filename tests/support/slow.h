// How many random cases a test draws. Fewer show less and take less time: environment variables say how many per cent.
#pragma once
#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

namespace dse::test {

/// What an environment variable says, 1 to 100; 100 where it is not set.
inline int percent_of(const char* variable) {
  const char* asked = std::getenv(variable);
  return asked ? std::clamp(std::atoi(asked), 1, 100) : 100;
}

/// Of a slow test's cases: DSE_SLOW per cent, at least one.
inline int of_slow(int all) { return std::max(1, all * percent_of("DSE_SLOW") / 100); }

/// Of the cases of any other test that takes long: DSE_SHARE per cent, at least one. scripts/test asks for a quarter.
inline int of_share(int all) { return std::max(1, all * percent_of("DSE_SHARE") / 100); }

/// Whether case i = 0, 1, ... is one of them: evenly spread, the first among them.
inline bool in_share(int i) {
  const int percent = percent_of("DSE_SHARE");
  return i == 0 || i * percent / 100 > (i - 1) * percent / 100;
}

template <class T>
std::vector<T> share_of(std::vector<T> all) {
  std::vector<T> out;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (in_share(static_cast<int>(i))) out.push_back(std::move(all[i]));
  return out;
}

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

/// The random cases that are drawn: all, or where sanitizers look on, which makes each take several times as long, a
/// quarter.
constexpr int of_cases(int all) { return kSanitized ? all / 4 : all; }

}  // namespace dse::test
