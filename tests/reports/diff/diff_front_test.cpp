#include "reports/diff/diff_front.h"

#include <gtest/gtest.h>

namespace dse::reports::diff_front_test {
namespace {

using nlohmann::json;

json front(const std::string& network, const std::string& device,
           const std::vector<std::tuple<std::string, int, int>>& points, std::int64_t hz = 1000000) {
  json f = {{"network", network},      {"device", device},       {"network_hash", "n"}, {"device_hash", "d"},
            {"kernel_library", ""},    {"accuracy", ""},         {"clock_hz", hz},      {"complete", true},
            {"points", json::array()}, {"marked", json::array()}};
  for (const auto& [id, memory, cycles] : points)
    f["points"].push_back({{"id", id},
                           {"origin", "front"},
                           {"marks", json::array()},
                           {"memory_bytes", memory},
                           {"latency_cycles", cycles},
                           {"latency_us", cycles * 1e6 / static_cast<double>(hz)}});
  if (!points.empty()) {
    f["points"].front()["marks"] = {"smallest"};
    f["points"].back()["marks"] = {"fastest"};
  }
  return f;
}

FrontDiff diff(const json& a, const json& b) { return diff_fronts(read_front(a), read_front(b)); }

std::vector<RecordedFront> read_all(const std::vector<json>& documents) {
  std::vector<RecordedFront> out;
  for (const auto& d : documents) out.push_back({read_front(d), d});
  return out;
}

TEST(DiffFront, EqualFrontsAreEqual) {
  const auto f = front("n", "d", {{"p", 100, 40}, {"q", 200, 10}});
  const auto d = diff(f, f);
  EXPECT_TRUE(d.equal());
  EXPECT_EQ(d.in_both, 2u);
  EXPECT_EQ(d.latency_at_equal_memory->mean, 0);
  EXPECT_EQ(d.memory_at_equal_latency->most, 0);
}

TEST(DiffFront, AreasUnderTheStairsByHand) {
  const auto a = front("n", "d", {{"p", 100, 40}, {"q", 200, 10}});
  const auto b = front("n", "d", {{"r", 150, 20}, {"s", 200, 10}, {"t", 250, 5}});
  const auto d = diff(a, b);
  EXPECT_FALSE(d.equal());
  // From 150 bytes: A takes 40 for 50 bytes, then 10 for 50; B 20 for 50, then 10 for 50, and 5 at the end.
  const auto& l = *d.latency_at_equal_memory;
  EXPECT_EQ(l.from, 150);
  EXPECT_EQ(l.to, 250);
  EXPECT_DOUBLE_EQ(l.mean, (20. * 50 + 10 * 50) / (40. * 50 + 10 * 50) - 1);
  EXPECT_DOUBLE_EQ(l.least, -0.5);
  EXPECT_EQ(l.least_at, 150);
  EXPECT_DOUBLE_EQ(l.most, 0);
  // From 10 cycles: A needs 200 bytes until 40, B 200 until 20, then 150.
  const auto& m = *d.memory_at_equal_latency;
  EXPECT_EQ(m.from, 10);
  EXPECT_EQ(m.to, 40);
  EXPECT_DOUBLE_EQ(m.mean, (200. * 10 + 150 * 20) / (200. * 30) - 1);
  EXPECT_DOUBLE_EQ(m.most, 0.5);  // at 40 cycles, 100 bytes do for A
  EXPECT_EQ(m.most_at, 40);
}

TEST(DiffFront, PointsOnOneSideAndNamesOnOneSide) {
  auto a = front("n", "d", {{"p", 100, 40}, {"q", 200, 10}});
  auto b = front("n", "d", {{"q", 200, 10}, {"r", 300, 5}});
  const json rule = {{"id", "x"},           {"origin", "rule-based"}, {"marks", json::array()},
                     {"memory_bytes", 400}, {"latency_cycles", 9},    {"latency_us", 9.0}};
  a["marked"] = {rule};
  auto user = rule;
  user["origin"] = "user", user["latency_cycles"] = nullptr, user["latency_us"] = nullptr;
  b["marked"] = {user, user};
  const auto d = diff(a, b);
  ASSERT_EQ(d.only_a.size(), 1u);
  EXPECT_EQ(d.only_a[0].id, "p");
  ASSERT_EQ(d.only_b.size(), 1u);
  EXPECT_EQ(d.only_b[0].id, "r");
  EXPECT_EQ(d.in_both, 1u);
  std::map<std::string, std::pair<bool, bool>> named;
  for (const auto& n : d.named) named[n.name] = {n.a.has_value(), n.b.has_value()};
  EXPECT_EQ(named, (std::map<std::string, std::pair<bool, bool>>{{"smallest", {true, true}},
                                                                 {"fastest", {true, true}},
                                                                 {"rule-based", {true, false}},
                                                                 {"user", {false, true}},
                                                                 {"user (2)", {false, true}}}));
}

TEST(DiffFront, OtherClocksAreComparedInTime) {
  const auto a = front("n", "d", {{"p", 100, 40}}, 1000000);
  auto b = front("n", "e", {{"q", 100, 80}}, 2000000);  // the same time
  b["device_hash"] = "e";
  const auto d = diff(a, b);
  EXPECT_EQ(d.in_both, 1u);
  EXPECT_EQ(d.latency_at_equal_memory->mean, 0);
}

TEST(DiffFront, AnEmptyFrontHasNoStairs) {
  auto b = front("n", "d", {});
  b["infeasible_reason"] = "l1 is short";
  const auto d = diff(front("n", "d", {{"p", 100, 40}}), b);
  EXPECT_FALSE(d.latency_at_equal_memory);
  EXPECT_FALSE(d.equal());
  EXPECT_EQ(d.b.infeasible_reason, "l1 is short");
  EXPECT_THROW(diff(json::object(), b), RecordError);
}

TEST(DiffFront, PairsByLabelThenByWhatIsUnique) {
  const auto f = [](const char* n, const char* d) { return front(n, d, {}); };
  using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
  const auto same = pair_fronts(read_all({f("a", "x"), f("a", "y")}), read_all({f("a", "y"), f("a", "x")}));
  EXPECT_EQ(same.pairs, (Pairs{{0, 1}, {1, 0}}));
  // a/z has no equal, and a is not unique among the rest of A; b/x meets b/y by its network.
  const auto some =
      pair_fronts(read_all({f("a", "x"), f("a", "y"), f("b", "x")}), read_all({f("a", "z"), f("b", "y")}));
  EXPECT_EQ(some.pairs, (Pairs{{2, 1}}));
  EXPECT_EQ(some.only_a, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(some.only_b, (std::vector<std::size_t>{0}));
  EXPECT_EQ(pair_fronts(read_all({f("a", "x")}), read_all({f("b", "y")})).pairs, (Pairs{{0, 0}}));  // the only ones
  EXPECT_EQ(pair_fronts(read_all({f("a", "x"), f("a", "x")}), read_all({f("a", "x")})).pairs, (Pairs{}));
}

TEST(DiffFront, ProvenanceNamesWhatDiffers) {
  const explore::Provenance a{"1", "dse 1", "x", {{"n", "h"}, {"d", "h"}}};
  const explore::Provenance b{"1", "dse 2", "y", {{"n", "h"}, {"e", "h"}}};
  std::vector<std::string> names;
  for (const auto& w : diff_provenance(a, b)) names.push_back(w.name + ":" + w.a + ":" + w.b);
  EXPECT_EQ(names, (std::vector<std::string>{"command_line:dse 1:dse 2", "d:h:", "e::h"}));
}

}  // namespace
}  // namespace dse::reports::diff_front_test
