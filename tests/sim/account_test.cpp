#include "sim/metrics.h"
#include "tests/sim/support.h"

namespace dse::sim::testing::account_test {
namespace {

std::int64_t ticks(const LayerAccount& l, Cause c) { return l.ticks[static_cast<std::size_t>(c)]; }

/// Two layers on small_device(): load 40 bytes, compute, store; the second one loads weights as well.
RunResult two_layers(Program& p) {
  p = small_program();
  p.section({"a", 0, 0});
  load(p, 0, 0, {}, 0, 0, 40);              // 25 ticks
  add(p, 1, {{0, 0}}, 0, 0, 512, 40);       // 7 + 40
  store(p, 1, 2, {{1, 0}}, 512, 4000, 40);  // 15
  wait(p);
  p.section({"b", 1, 1});
  load(p, 0, 0, {}, 5000, 100, 80);        // 35
  add(p, 1, {{0, 0}}, 100, 100, 512, 10);  // 7 + 10
  wait(p);
  p.buffers.push_back({"w", program::BufferRole::weights, 1, 5000, 80, 1, 1, -1});
  hw::Device d = small_device();
  d.control = {.issue = 2, .wait = 6};
  return run(p, d);
}

TEST(Account, EveryTickHasALayerAndACause) {
  Program p;
  const RunResult r = two_layers(p);
  ASSERT_FALSE(r.failure);
  ASSERT_EQ(r.layers.size(), 2u);
  const LayerAccount &a = r.layers[0], &b = r.layers[1];
  EXPECT_EQ(ticks(a, Cause::issue), 4);       // until control has issued the call
  EXPECT_EQ(ticks(a, Cause::dma_input), 23);  // the load ends at 2 + 25
  EXPECT_EQ(ticks(a, Cause::dispatch), 7);
  EXPECT_EQ(ticks(a, Cause::compute), 40);
  EXPECT_EQ(a.total(), 74);
  EXPECT_EQ(ticks(b, Cause::dma_output), 15);  // the barrier waits for the store
  EXPECT_EQ(ticks(b, Cause::wait), 6 + 6);     // both Waits cost 6; the tail belongs to the last layer
  EXPECT_EQ(ticks(b, Cause::issue), 4);
  EXPECT_EQ(ticks(b, Cause::dma_weights), 33);
  EXPECT_EQ(ticks(b, Cause::dispatch), 7);
  EXPECT_EQ(ticks(b, Cause::compute), 10);
  EXPECT_EQ(a.total() + b.total(), r.ticks);
  EXPECT_EQ(r.section_end[0], 74 + 15 + 6);
  EXPECT_EQ(r.section_end[1], r.ticks);
}

TEST(Account, ChargesSayWhoseEveryTickIs) {
  Program p;
  const RunResult r = two_layers(p);
  std::int64_t at = 0;
  std::vector<LayerAccount> sums(r.layers.size());
  for (const ChargeRecord& c : r.charges) {
    EXPECT_EQ(c.from, at);
    EXPECT_GT(c.to, c.from);
    sums[static_cast<std::size_t>(c.row)].ticks[static_cast<std::size_t>(c.cause)] += c.to - c.from;
    at = c.to;
  }
  EXPECT_EQ(at, r.ticks);
  for (std::size_t l = 0; l < sums.size(); ++l) EXPECT_EQ(sums[l].ticks, r.layers[l].ticks);
  const std::vector<Cause> first = {Cause::issue, Cause::dma_input, Cause::dispatch, Cause::compute};
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(r.charges[i].cause, first[i]);
  ASSERT_EQ(r.waits.size(), 2u);
  EXPECT_EQ(r.waits[0].until, 74 + 15);
  EXPECT_EQ(r.waits[0].end, r.section_end[0]);
}

TEST(Account, TracedTasksHaveTheirParts) {
  Program p;
  const RunResult r = two_layers(p);
  ASSERT_EQ(r.trace.size(), 5u);
  EXPECT_EQ(r.details[1].fixed, 7);
  EXPECT_EQ(r.details[1].busy, 40);
  EXPECT_EQ(r.details[1].ready_by, 0);
  EXPECT_EQ(r.details[2].ready_by, 1);
  EXPECT_EQ(r.details[3].ready_by, -1);
  EXPECT_EQ(r.details[0].cause, Cause::dma_input);
  EXPECT_EQ(r.details[2].cause, Cause::dma_output);
  EXPECT_EQ(r.details[3].cause, Cause::dma_weights);
  const RunResult untraced = run(p, small_device(), {.data = false, .accounts = true, .trace = false});
  EXPECT_TRUE(untraced.charges.empty() && untraced.waits.empty());
}

TEST(Account, MemoryIsWhatThePortsAdd) {
  Program p = small_program();
  p.section({"a", 0, 0});
  add(p, 0, {}, 0, 0, 512, 40);
  hw::Device d = small_device();
  d.memories[0].width = {1, 1};  // 120 operand bytes at 1 B/cycle; arithmetic takes 40
  const RunResult r = run(p, d);
  EXPECT_EQ(ticks(r.layers[0], Cause::dispatch), 7);
  EXPECT_EQ(ticks(r.layers[0], Cause::compute), 40);
  EXPECT_EQ(ticks(r.layers[0], Cause::memory), 80);
}

TEST(Account, HiddenTransfersStandBeside) {
  Program p = small_program();
  p.section({"a", 0, 0});
  load(p, 0, 0, {}, 0, 100, 20);    // 0 to 20
  load(p, 1, 0, {}, 100, 200, 20);  // the same time: counted once
  add(p, 1, {}, 0, 0, 512, 100);
  const RunResult r = run(p, small_device());
  EXPECT_EQ(r.layers[0].hidden_dma, r.trace[0].end);
  EXPECT_EQ(r.layers[0].total(), 107);
}

TEST(Account, OffMeansSectionsOnly) {
  Program p = small_program();
  p.section({"a", 0, 0});
  load(p, 0, 0, {}, 0, 0, 20);
  const RunResult r = run(p, small_device(), {.data = false, .accounts = false, .trace = false});
  EXPECT_TRUE(r.layers.empty());
  EXPECT_TRUE(r.trace.empty());
  ASSERT_EQ(r.section_end.size(), 1u);
  EXPECT_EQ(r.section_end[0], r.ticks);
}

TEST(Metrics, NamedValuesWithUnitAndOrigin) {
  Program p;
  const RunResult r = two_layers(p);
  hw::Device d = small_device();
  d.energy_source = "made up";
  const auto measured = MetricRegistry::standard().measure(r, p, d);
  const auto find = [&](const std::string& name) {
    for (const MetricValue& m : measured)
      if (m.name == name) return m;
    ADD_FAILURE() << name;
    return MetricValue{};
  };
  EXPECT_EQ(find("latency").value, static_cast<double>(r.ticks));
  EXPECT_EQ(find("latency_us").value, static_cast<double>(r.ticks));  // at 1 MHz
  EXPECT_EQ(find("memory").value, 1024);                              // near memory only: far is not on chip
  EXPECT_EQ(find("memories.far.peak").value, 8192);
  EXPECT_EQ(find("memories.far.read").value, 120);
  EXPECT_EQ(find("energy").value, 1e-3 * static_cast<double>(r.energy_fj));
  EXPECT_EQ(find("latency").unit, "ticks");
  EXPECT_EQ(find("latency").origin, "simulated");
  d.energy_source.clear();  // then it is not known
  const auto unsaid = MetricRegistry::standard().measure(r, p, d);
  EXPECT_EQ(unsaid.size() + 1, measured.size());
  for (const auto& m : unsaid) EXPECT_NE(m.name, "energy");
}

}  // namespace
}  // namespace dse::sim::testing::account_test
