// The house is open: a new kind of task and a new metric, in this one file, touching no other.
#include "program/encoding.h"
#include "sim/metrics.h"
#include "tests/sim/support.h"

namespace dse::sim::testing {
namespace {

/// Inverts every bit of a stretch of memory in place.
struct InvertPayload : program::Payload {
  int arena = 0;
  std::int64_t offset = 0, size = 0;
};
class InvertKind final : public program::TaskKind {
 public:
  std::string_view name() const override { return "invert"; }
  std::uint8_t code() const override { return 200; }
  void footprint(const program::TaskInstance& t, std::vector<program::Access>& out) const override {
    const auto& p = of(*t.task);
    for (const bool write : {false, true}) out.push_back({p.arena, p.offset, p.offset + p.size, write});
  }
  program::TaskCost time(const program::TaskInstance& t, const program::CostModel&) const override {
    program::TaskCost cost;
    cost.fixed = 11;
    cost.busy = cost.compute = 2 * of(*t.task).size;
    return cost;
  }
  bool execute(const program::TaskInstance& t, const program::ByteSpace& bytes) const override {
    const auto& p = of(*t.task);
    std::uint8_t* b = bytes.base(p.arena) + p.offset;
    for (std::int64_t i = 0; i < p.size; ++i) b[i] = static_cast<std::uint8_t>(~b[i]);
    return true;
  }
  void encode(const program::TaskTemplate& t, program::Encoder& out) const override {
    out.varint(static_cast<std::uint64_t>(of(t).offset));
    out.varint(static_cast<std::uint64_t>(of(t).size));
  }

 private:
  static const InvertPayload& of(const program::TaskTemplate& t) {
    return static_cast<const InvertPayload&>(*t.payload);
  }
};

TEST(Open, AnotherKindOfTaskAndAnotherMetric) {
  static const InvertKind invert;
  Program p = small_program();
  p.section({"only", 0, 0});
  p.inputs = {{"in", 0, 1, 0, 16}};
  p.outputs = {{"out", 1, 1, 100, 16}};
  load(p, 0, 0, {}, 0, 0, 16);
  auto payload = std::make_shared<InvertPayload>();
  payload->size = 16;
  p.task({&invert, 2, 1, {{0, 0}}, payload});
  store(p, 0, 2, {{1, 0}}, 0, 100, 16);
  const std::vector<std::uint8_t> input(16, 0x0F);
  const hw::Device d = small_device();
  const RunResult r = run(p, d, {.data = true}, {{{}, {input}}});
  ASSERT_FALSE(r.failure) << r.failure->what;
  EXPECT_EQ(r.outputs[0], std::vector<std::uint8_t>(16, 0xF0));
  EXPECT_EQ(r.ticks, (5 + 10 + 4) + (11 + 32) + (5 + 4));
  EXPECT_EQ(r.layers[0].ticks[static_cast<std::size_t>(Cause::compute)], 32);

  MetricRegistry metrics = MetricRegistry::standard();
  metrics.add(Metric{"compute_share", "%", "simulated", [](const RunResult& run, const Program&, const hw::Device&) {
                       std::int64_t compute = 0;
                       for (const LayerAccount& l : run.layers)
                         compute += l.ticks[static_cast<std::size_t>(Cause::compute)];
                       return 100.0 * static_cast<double>(compute) / static_cast<double>(run.ticks);
                     }});
  bool found = false;
  for (const Measured& m : metrics.measure(r, p, d))
    if (m.name == "compute_share") {
      found = true;
      EXPECT_NEAR(m.value, 100.0 * 32 / 71, 1e-9);
    }
  EXPECT_TRUE(found);
  EXPECT_ANY_THROW(metrics.add(Metric{"latency", "", "", {}}));
}

}  // namespace
}  // namespace dse::sim::testing
