// What two sides of a comparison have, and how it is written: numbers with their difference, words.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dse::reports {

/// A quantity on both sides.
struct Pair {
  std::int64_t a = 0, b = 0;
  std::int64_t change() const { return b - a; }
  Pair& operator+=(const Pair& o) {
    a += o.a, b += o.b;
    return *this;
  }
  bool operator==(const Pair&) const = default;
};

/// A word on both sides; empty = there is none on that side.
struct WordPair {
  std::string name, a, b;
};

/// "+1,234", "-5", "0".
std::string signed_text(std::int64_t n);
/// The change from A to B as people say it; "the same"; nothing where A has none of it.
std::string change_text(const Pair& p);
/// "none" for an empty word.
std::string or_none(const std::string& word);

/// {"a", "b", "difference"}.
nlohmann::json json_of(const Pair& p);
/// By name: {"a", "b"}, null for an empty word.
nlohmann::json json_of(const std::vector<WordPair>& list);
/// null for an empty word.
nlohmann::json json_of(const std::string& word);

}  // namespace dse::reports
