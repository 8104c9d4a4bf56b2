// That the parts of a comparison add up to its totals, counted here again from the documents themselves.
#include <gmock/gmock.h>

#include "reports/diff/point_diff.h"
#include "tests/reports/diff/diff_case.h"

namespace dse::reports::reports_diff_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
__extension__ typedef __int128 Wide;

std::int64_t change(const testing::Written& a, const testing::Written& b, const char* key) {
  return b.point.at(key).get<std::int64_t>() - a.point.at(key).get<std::int64_t>();
}

std::int64_t memory_of(const testing::Written& m, const std::string& memory, const char* key) {
  for (const auto& entry : m.point.at("memories"))
    if (entry.at("memory") == memory) return entry.at(key).get<std::int64_t>();
  return 0;
}

/// Every sum, independently of what diff_points checks itself.
void expect_sums(const testing::Written& a, const testing::Written& b) {
  const auto d = diff_points(a, b);
  std::int64_t by_layer = 0, by_cause = 0, across = 0, energy = 0, macs = 0;
  std::map<std::string, std::int64_t> read, written;
  for (const auto& l : d.layers) {
    by_layer += l.cycles.change(), energy += l.energy_fj.change(), macs += l.macs.change();
    for (const auto& c : l.causes) across += c.change();
    for (const auto& [memory, bytes] : l.read) read[memory] += bytes.change();
    for (const auto& [memory, bytes] : l.written) written[memory] += bytes.change();
  }
  for (const auto& c : d.causes) by_cause += c.change();
  const auto cycles = change(a, b, "latency_cycles");
  EXPECT_EQ(by_layer, cycles);
  EXPECT_EQ(by_cause, cycles);
  EXPECT_EQ(across, cycles);
  EXPECT_EQ(energy, change(a, b, "energy_fj"));
  EXPECT_EQ(macs, change(a, b, "macs"));
  std::int64_t on_chip = 0, load_on_chip = 0, memory_energy = 0;
  for (const auto& m : d.memories) {
    EXPECT_EQ(read[m.name], memory_of(b, m.name, "read_bytes") - memory_of(a, m.name, "read_bytes"));
    EXPECT_EQ(written[m.name], memory_of(b, m.name, "written_bytes") - memory_of(a, m.name, "written_bytes"));
    // The load that the planner counted, and the buffers that this comparison found alive at the peak.
    EXPECT_EQ(m.load.a, memory_of(a, m.name, "load_bytes")) << m.name;
    EXPECT_EQ(m.load.b, memory_of(b, m.name, "load_bytes")) << m.name;
    std::int64_t buffers = 0, roles = 0;
    for (const auto& x : m.buffers) buffers += x.bytes.change();
    for (const auto& [role, bytes] : m.roles) roles += bytes.change();
    EXPECT_EQ(buffers, m.load.change());
    EXPECT_EQ(roles, m.load.change());
    EXPECT_EQ(m.arena.change(), m.load.change() + m.packing.change());
    EXPECT_GE(m.packing.a, 0);
    EXPECT_GE(m.packing.b, 0);
    memory_energy += m.energy_fj.change();
    if (m.on_chip_a && m.on_chip_b) on_chip += m.arena.change(), load_on_chip += m.load.change();
  }
  EXPECT_EQ(on_chip, change(a, b, "memory_bytes"));
  EXPECT_EQ(load_on_chip, change(a, b, "load_bytes"));
  EXPECT_EQ(memory_energy + d.arithmetic_fj.change(), change(a, b, "energy_fj"));
  // Time, exactly: units / per_second = b / clock_b - a / clock_a.
  ASSERT_GT(d.time.per_second, 0);
  std::int64_t units = 0;
  for (const auto& l : d.layers)
    for (const auto& c : l.causes) units += d.time.of(c).change();
  const Wide ha = d.a.clock_hz, hb = d.b.clock_hz;
  EXPECT_TRUE(static_cast<Wide>(units) * ha * hb ==
              (static_cast<Wide>(d.cycles.b) * ha - static_cast<Wide>(d.cycles.a) * hb) * d.time.per_second);
}

explore::Case random_case(test::Random& random) {
  auto network = test::random_network(random);
  auto device = std::make_shared<hw::Device>(*test::random_device(random));
  device->energy_source = "drawn";
  return {std::move(network), std::move(device), "device"};
}

TEST(Diff, PairsOfPlansAddUp) {
  test::Random random(11);
  for (int i = 0; i < 30; ++i) {
    SCOPED_TRACE(i);
    const auto c = random_case(random);
    const auto a = testing::measure("a", c, testing::random_plan(random, c));
    const auto b = testing::measure("b", c, testing::random_plan(random, c));
    expect_sums(a, b);
    EXPECT_TRUE(diff_points(a, a).equal());
    const auto forth = diff_points(a, b), back = diff_points(b, a);
    EXPECT_EQ(forth.equal(), a.point.at("id") == b.point.at("id"));
    EXPECT_EQ(forth.cycles.change(), -back.cycles.change());
    EXPECT_EQ(forth.layers.size(), back.layers.size());
  }
}

TEST(Diff, OtherNetworksAddUpWithLayersAddedAndRemoved) {
  test::Random random(12);
  int added = 0, removed = 0;
  for (int i = 0; i < 20; ++i) {
    SCOPED_TRACE(i);
    const auto one = random_case(random);
    const explore::Case other{test::random_network(random), one.device, "device"};
    const auto a = testing::measure("a", one, testing::random_plan(random, one));
    const auto b = testing::measure("b", other, testing::random_plan(random, other));
    expect_sums(a, b);
    for (const auto& l : diff_points(a, b).layers) {
      // "conv0 -> conv1" where names differ, "conv0 (A)" where another layer has the name.
      const auto arrow = l.name.find(" -> ");
      const auto bare = l.name.substr(0, l.name.find(" ("));
      const auto in = [&](const testing::Written& m, const std::string& name) {
        return std::any_of(m.point.at("account").begin(), m.point.at("account").end(),
                           [&](const json& row) { return row.at("layer") == name; });
      };
      if (l.presence != Presence::only_b) {
        EXPECT_TRUE(in(a, bare.substr(0, arrow))) << l.name;
      }
      if (l.presence != Presence::only_a) {
        EXPECT_TRUE(in(b, arrow == std::string::npos ? bare : bare.substr(arrow + 4))) << l.name;
      }
      removed += l.presence == Presence::only_a, added += l.presence == Presence::only_b;
      EXPECT_TRUE(l.presence != Presence::only_b || l.cycles.a == 0);
    }
  }
  EXPECT_GT(added, 0);
  EXPECT_GT(removed, 0);
}

TEST(Diff, OtherClocksAddUpInTimeToo) {
  test::Random random(13);
  for (const std::int64_t hz : {216'000'000LL, 175'000'000LL, 123'456'789LL, 1LL}) {
    SCOPED_TRACE(hz);
    const auto one = random_case(random);
    auto device = *one.device;
    device.clock_hz = hz;
    for (auto& m : device.memories) m.clock_hz = 0;
    for (auto& e : device.engines) e.clock_hz = 0;
    const explore::Case other{one.network, std::make_shared<const hw::Device>(device), "other clock"};
    const auto a = testing::measure("a", one, testing::random_plan(random, one));
    const auto b = testing::measure("b", other, testing::random_plan(random, other));
    expect_sums(a, b);
    const auto d = diff_points(a, b);
    EXPECT_EQ(d.same_clock(), one.device->tick_hz() == hz);
    EXPECT_EQ(d.time.per_second % hz, 0);
    EXPECT_EQ(d.time.per_second % one.device->tick_hz(), 0);
  }
}

TEST(Diff, ClocksWithoutACommonUnitIn64BitsAreComparedInCyclesOnly) {
  const std::int64_t large = (std::int64_t{1} << 62) - 57, other = (std::int64_t{1} << 61) - 1;
  EXPECT_EQ(common_time(large, other, {1, 1}).per_second, 0);
  EXPECT_EQ(common_time(3, 5, {std::int64_t{1} << 62, 1}).per_second, 0);
  EXPECT_EQ(common_time(3, 5, {10, 10}).per_second, 15);
  auto a = testing::by_hand("a"), b = a;
  a.front["clock_hz"] = large, b.front["clock_hz"] = other;
  EXPECT_EQ(diff_points(a, b).time.per_second, 0);
}

TEST(Diff, ChoicesStandBesideTheirLayer) {
  const auto a = testing::by_hand("a");
  auto b = a;
  b.point["assignment"] = {{"conv0.scheme", "planar"},
                           {"conv0.tile", "4"},
                           {"fc.scheme", "interleaved"},
                           {"fc.order", "rows-outer"},
                           {"network.offsets", "greedy"}};
  const auto d = diff_points(a, b);
  ASSERT_EQ(d.layers[0].choices.size(), 1u);
  EXPECT_EQ(d.layers[0].choices[0].name + " " + d.layers[0].choices[0].a + " " + d.layers[0].choices[0].b,
            "scheme interleaved planar");
  ASSERT_EQ(d.layers[1].choices.size(), 1u);  // exists in B only
  EXPECT_EQ(d.layers[1].choices[0].a, "");
  ASSERT_EQ(d.choices.size(), 1u);
  EXPECT_EQ(d.choices[0].name, "network.offsets");
  EXPECT_FALSE(d.equal());
}

TEST(Diff, ThePeakOfBothSidesIsTheSameLayerWhereItCanBe) {
  const auto a = testing::by_hand("a");
  auto b = a;
  b.point["buffers"][3]["counted_bytes"] = 768;  // now fc needs as much as conv0
  EXPECT_EQ(diff_points(a, b).memories[0].peak_b, "conv0");
  b.point["buffers"][3]["counted_bytes"] = 772;
  const auto m = diff_points(a, b).memories[0];
  EXPECT_EQ(m.peak_a, "conv0");
  EXPECT_EQ(m.peak_b, "fc");
  EXPECT_EQ(m.load.change(), 4);
  EXPECT_EQ(m.packing.change(), -4);  // the arena is the same
}

TEST(Diff, WhatDoesNotAddUpIsRefused) {
  const auto a = testing::by_hand("a");
  const auto refused = [&](const char* where, const json& value, const char* words) {
    auto b = a;
    b.label = "b";
    b.point[json::json_pointer(where)] = value;
    try {
      diff_points(a, b);
      ADD_FAILURE() << where;
    } catch (const RecordError& e) {
      EXPECT_THAT(e.what(), HasSubstr(words));
      EXPECT_THAT(e.what(), HasSubstr("b"));
    }
  };
  refused("/account/0/causes/compute", 601, "b: the causes of layer conv0 add up to 701, but the total is 700");
  refused("/latency_cycles", 999, "b: the cycles of the layers add up to 1000, but the total is 999");
  refused("/memory_bytes", 1, "the on-chip arenas add up to 1100");
  refused("/energy_fj", 1, "the energies of the layers");
  refused("/memories/1/read_bytes", 97, "the bytes that the layers read from l3");
  refused("/account/0/cycles", "many", "damaged");
  refused("/buffers/0/last_layer", 2, "lives in a layer that is not in the account");
  auto b = a;
  b.point.erase("assignment");
  EXPECT_THROW(diff_points(a, b), RecordError);
}

TEST(Diff, APointThatWasNotTimedComparesMemory) {
  const auto a = testing::by_hand("a");
  auto b = a;
  b.point["latency_cycles"] = nullptr, b.point["latency_us"] = nullptr;
  b.point["account"] = json::array(), b.point["buffers"] = json::array();
  b.point["memories"][0]["arena_bytes"] = 2000, b.point["memory_bytes"] = 2000;
  b.point["memories"][1]["constants_bytes"] = 0;
  const auto d = diff_points(a, b);
  EXPECT_FALSE(d.timed);
  EXPECT_EQ(d.memory.change(), 900);
  EXPECT_EQ(d.cycles, Pair{});
}

}  // namespace
}  // namespace dse::reports::reports_diff_test
