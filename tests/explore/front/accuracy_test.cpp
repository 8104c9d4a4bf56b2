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
