// What is said of a case's times: measured on silicon or not, and what the device's tables leave out.
#include "explore/front/accuracy.h"

#include <gmock/gmock.h>

#include "explore/front/front.h"
#include "models/hw/device_reader.h"
#include "tests/support/random_cases.h"

namespace dse::explore::accuracy_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

nn::NetworkPtr shipped(const std::string& name) {
  Diagnostics d;
  return nn::load_network(std::string(DSE_SOURCE_DIR) + "/configs/networks/" + name + ".yaml", d);
}
hw::DevicePtr device(const std::string& name) {
  Diagnostics d;
  return hw::read_device(std::string(DSE_SOURCE_DIR) + "/configs/devices/" + name + ".yaml", {}, d);
}

/// The accuracy line of a layer-by-layer plan that takes so many ticks.
std::string accuracy_of(const Case& c, std::int64_t ticks) {
  Front front;
  describe_front(c, front);
  Point p;
  p.origin = "TFLM today", p.latency_ticks = ticks;
  front.marked.push_back(p);
  judge_accuracy(c, front);
  return front.accuracy;
}

TEST(Accuracy, IsOfTheStructureWhateverTheNetworkIsCalled) {
  Case c{shipped("resnet8"), device("cortex-m7-class"), "m7"};
  ASSERT_TRUE(c.network && c.device);
  ASSERT_EQ(c.device->validated[0].cycles, 15216564);
  const std::string twice = "+100.0 % against 15216564 cycles measured on silicon, layer by layer (fit; ";
  EXPECT_THAT(accuracy_of(c, 2 * 15216564), HasSubstr(twice));
  auto renamed = *c.network;
  renamed.name = "model";
  c.network = std::make_shared<const nn::Network>(renamed);
  EXPECT_THAT(accuracy_of(c, 2 * 15216564), HasSubstr(twice));
  auto impostor = *shipped("autoencoder");
  for (const auto& row : c.device->validated) {
    impostor.name = row.network;
    c.network = std::make_shared<const nn::Network>(impostor);
    EXPECT_EQ(accuracy_of(c, row.cycles), "not validated on this network")
        << "only the name is that of " << row.network;
  }
}

TEST(Accuracy, PointsThatTheErrorDoesNotTellApartAreMarked) {
  Case c{shipped("resnet8"), device("cortex-m7-class"), "m7"};
  auto measured = std::make_shared<hw::Device>(*c.device);
  measured->timing_error = 0.10;
  const auto front_of = [&](const hw::DevicePtr& d) {
    Front front;
    c.device = d;
    describe_front(c, front);
    for (const std::int64_t ticks : {1000, 950, 905, 850, 800, 500}) {
      Point p;
      p.id = std::to_string(ticks), p.latency_ticks = ticks;
      front.points.push_back(p);
    }
    judge_accuracy(c, front);
    return front;
  };
  std::vector<std::string> marks;
  const auto front = front_of(measured);
  for (const auto& p : front.points) marks.push_back(p.as_fast_as);
  EXPECT_THAT(marks, testing::ElementsAre("", "1000", "", "905", "", ""));  // 905 is 10.5 % faster, 800 13.1 %
  EXPECT_THAT(front.notes,
              testing::Contains(HasSubstr("2 of 6 points are faster than a smaller one by less than the ± 10 % that")));
  for (const auto& p : front_of(device("cortex-m7-class")).points) EXPECT_EQ(p.as_fast_as, "");
}

TEST(Accuracy, ARowMayGiveTheStructureItself) {
  test::Random random(5);
  auto other = std::make_shared<hw::Device>(*device("cortex-m7-class"));
  Case c{test::random_network(random), other, "m7"};
  other->validated = {{"unheard-of", "s", "held-out", c.network->structure_hash(), 1000}};
  EXPECT_THAT(accuracy_of(c, 1500), HasSubstr("+50.0 % against 1000 cycles"));
  other->validated[0].structure = "0123456789abcdef";
  EXPECT_EQ(accuracy_of(c, 1500), "not validated on this network");
  other->validated[0].structure.clear();
  EXPECT_EQ(accuracy_of(c, 1500), "not validated on this network");
  other->validated[0].network = c.network->name;
  EXPECT_THAT(accuracy_of(c, 1500), HasSubstr("not of which structure (structure: " + c.network->structure_hash()));
  other->validated.clear();
  EXPECT_EQ(accuracy_of(c, 1500), "not validated against silicon");
  // What a calibration says of networks that took no part stands beside all of it.
  other->timing_error = 0.123;
  EXPECT_EQ(accuracy_of(c, 1500),
            "not validated against silicon, ± 12 % on networks that its constants were not fitted to");
  other->validated = {{"unheard-of", "s", "held-out", c.network->structure_hash(), 1000}};
  EXPECT_THAT(accuracy_of(c, 1500), testing::AllOf(HasSubstr("+50.0 % against 1000 cycles"), HasSubstr("± 12 %")));
  other->validated[0].structure = "0123456789abcdef";
  EXPECT_THAT(accuracy_of(c, 1500), HasSubstr("not validated on this network, ± 12 %"));
}

/// The text of a device's error, and the largest.
TEST(KnownErrors, AreInheritedByBoardsOfTheSamePriceList) {
  const auto board = [](const std::string& name) { return device("boards/" + name); };
  const auto own = known_error(*board("psoc6"));
  EXPECT_EQ(own.text(), "± 14 %");
  EXPECT_THAT(own.of, IsEmpty());
  for (const char* name : {"nrf52840", "rp2350", "stm32g474"}) {
    const auto error = known_error(*board(name));
    EXPECT_EQ(error.text(), "± 10 to 28 %") << name;
    EXPECT_THAT(error.of, testing::ElementsAre("efr32mg24", "psoc6", "ra6m4", "stm32f413")) << name;
    const Case c{shipped("resnet8"), board(name), name};
    EXPECT_THAT(accuracy_of(c, 1), HasSubstr("not validated against silicon, ± 10 to 28 % on boards of the same price "
                                             "list (efr32mg24, psoc6, ra6m4, stm32f413): none was measured on this"));
    auto dearer = std::make_shared<hw::Device>(*c.device);  // any other price makes it another list
    for (auto& [loop, cycles] : dearer->engines[static_cast<std::size_t>(dearer->compute_engine())].cycles_per_count)
      cycles.num *= 2;
    EXPECT_FALSE(known_error(*dearer).known());
    EXPECT_EQ(accuracy_of({c.network, dearer, name}, 1), "not validated against silicon");
  }
  EXPECT_EQ(known_error(*device("gap9")).text(), "± 45 %") << "not that of gap8, whose prices it has";
  for (const char* name : {"array-45nm", "corstone-u55"}) EXPECT_FALSE(known_error(*device(name)).known()) << name;
}

TEST(KnownErrors, LimitsNearerThanTheErrorAreOpenOnBothSides) {
  const KnownError error{0.10, 0.10};
  for (const double limit : {1.0, 20'000.0}) {
    for (const double near : {0.91, 0.98, 1.0, 1.02, 1.09}) EXPECT_TRUE(error.open(near * limit, limit)) << near;
    for (const double far : {0.5, 0.89, 1.11, 3.0}) EXPECT_FALSE(error.open(far * limit, limit)) << far;
  }
  const auto c = [](std::int64_t ticks, double limit) {
    Case one{shipped("resnet8"), device("gap8"), "gap8"};  // ± 5.5 %
    std::vector<Front> fronts(1);
    describe_front(one, fronts[0]);
    fronts[0].constraints = {{"latency", limit, {}}};
    Point p;
    p.latency_ticks = ticks, p.latency_us = static_cast<double>(ticks) / 100;  // at 100 MHz
    if (p.latency_us <= limit)
      fronts[0].points.push_back(p);
    else
      fronts[0].least = {{"latency", limit, {p.latency_us, "p", "", true}, {}}}, fronts[0].infeasible_reason = "none";
    tell_errors({one}, fronts);
    return fronts[0];
  };
  const std::string times = "times on this device are off by ± 5.5 %";
  EXPECT_EQ(c(102'000, 1000).infeasible_reason,
            "none; " + times + ", so whether latency <= 1 ms is met cannot be told");
  EXPECT_EQ(c(107'000, 1000).infeasible_reason, "none");
  EXPECT_THAT(c(98'000, 1000).notes,
              testing::ElementsAre(times + ": whether 1 of 1 points keep latency <= 1 ms cannot be told"));
  EXPECT_THAT(c(90'000, 1000).notes, IsEmpty());
}

TEST(KnownErrors, DevicesOfOneTimeSayWhy) {
  const auto network = shipped("resnet8");
  std::vector<Case> cases;
  std::vector<Front> fronts;
  for (const char* name : {"boards/rp2350", "boards/mcxn947", "boards/stm32f746", "gap8"}) {
    auto& c = cases.emplace_back(Case{network, device(name), device(name)->name});
    describe_front(c, fronts.emplace_back());
    Point p;
    p.latency_ticks = 1000;
    fronts.back().points.push_back(p);
  }
  auto other = fronts;
  other[1].points[0].latency_ticks = 1001;
  tell_errors(cases, fronts), tell_errors(cases, other);
  EXPECT_THAT(fronts[0].notes, testing::ElementsAre(HasSubstr("as many cycles as on mcxn947: one price list")));
  EXPECT_THAT(fronts[1].notes, testing::ElementsAre(HasSubstr("as many cycles as on rp2350: one price list")));
  for (const auto& f : {fronts[2], fronts[3], other[0], other[1]}) EXPECT_THAT(f.notes, IsEmpty()) << f.device;
}

TEST(TimingNotes, FollowFromTheTableNotFromTheName) {
  const auto network = shipped("ds-cnn");
  int streaming = 0, blind = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    test::Random random(seed);
    const auto d = test::random_device(random, seed % 2 == 0);
    const auto& engine = d->engines[static_cast<std::size_t>(d->compute_engine())];
    const auto notes = timing_notes({network, d, "random"});
    if (engine.kind == hw::EngineKind::cpu) {
      ++blind;
      ASSERT_EQ(notes.size(), 1u);
      EXPECT_THAT(notes[0], HasSubstr("times on this engine do not depend on memory speed"));
      EXPECT_THAT(notes[0], HasSubstr(engine.name));
    } else {
      ++streaming;
      EXPECT_THAT(notes, IsEmpty());
    }
  }
  EXPECT_GT(streaming, 0);
  EXPECT_THAT(timing_notes({network, device("cortex-m7-class"), ""}), testing::SizeIs(1));
  EXPECT_THAT(timing_notes({network, device("cortex-m7-camera"), ""}), testing::SizeIs(1));
  for (const char* name : {"gap8-class", "dsp-l1-l2-l3"})
    EXPECT_THAT(timing_notes({network, device(name), ""}), IsEmpty()) << name;
}

/// Every activation in 16 bits, as far as this is looked at.
nn::NetworkPtr widened(const nn::Network& n) {
  auto out = n;
  for (auto& t : out.tensors)
    if (t.kind == nn::TensorKind::activation) t.type = nn::DataType::int16;
  return std::make_shared<const nn::Network>(out);
}

TEST(TimingNotes, SixteenBitsOnATableForEightAreTold) {
  const auto wide = widened(*shipped("ds-cnn"));
  const auto notes = timing_notes({wide, device("cortex-m7-class"), ""});
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_THAT(notes[1], HasSubstr("16-bit work on a CPU table made for 8 bits"));
  EXPECT_THAT(timing_notes({wide, device("dsp-l1-l2-l3"), ""}), IsEmpty()) << "it has a rate for int16";
  for (const auto& note : timing_notes({wide, device("stm32l4r5"), ""}))
    EXPECT_THAT(note, testing::Not(HasSubstr("16-bit work"))) << "its loops over 16 bits have rates of their own";
}

}  // namespace
}  // namespace dse::explore::accuracy_test
