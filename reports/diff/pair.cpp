#include "reports/diff/pair.h"

#include "reports/words/format.h"

namespace dse::reports {

using nlohmann::json;

std::string signed_text(std::int64_t n) { return (n > 0 ? "+" : "") + grouped(n); }

std::string change_text(const Pair& p) {
  if (p.a == p.b) return "the same";
  return p.a == 0 ? "" : change_text(static_cast<double>(p.b), static_cast<double>(p.a));
}

std::string or_none(const std::string& word) { return word.empty() ? "none" : word; }

json json_of(const Pair& p) { return {{"a", p.a}, {"b", p.b}, {"difference", p.change()}}; }

json json_of(const std::string& word) { return word.empty() ? json() : json(word); }

json json_of(const std::vector<WordPair>& list) {
  json out = json::object();
  for (const auto& w : list) out[w.name] = {{"a", json_of(w.a)}, {"b", json_of(w.b)}};
  return out;
}

}  // namespace dse::reports
