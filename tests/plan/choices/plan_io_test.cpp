// Plans as documents: what is written reads back as the same plan, and whatever is wrong in a written plan is named
// with its place.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "models/hw/device_reader.h"
#include "plan/choices/choice.h"
#include "plan/document/document.h"
#include "plan/make/make_plan.h"
#include "plan/plan.h"
#include "plan/rules/rules.h"
#include "tests/support/random_cases.h"

namespace dse::plan::plan_io_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Shipped {
  nn::NetworkPtr network;
  hw::DevicePtr device;
};

Shipped shipped(const std::string& network, const std::string& device) {
  Diagnostics d;
  Shipped s{nn::load_network(std::string(DSE_SOURCE_DIR) + "/configs/networks/" + network + ".yaml", d),
            hw::read_device(std::string(DSE_SOURCE_DIR) + "/configs/devices/" + device + ".yaml", {}, d)};
  EXPECT_NE(s.network, nullptr) << d.text();
  EXPECT_NE(s.device, nullptr) << d.text();
  return s;
}

void expect_round_trip(const Plan& plan, const nn::Network& network, const hw::Device& device) {
  const auto text = write_plan(plan, network, device);
  Diagnostics d;
  const auto back = read_plan_text(text, "plan.yaml", network, device, d);
  ASSERT_TRUE(back.has_value()) << d.text() << text;
  EXPECT_TRUE(d.empty()) << d.text();
  EXPECT_EQ(back->id(), plan.id()) << text;
  EXPECT_EQ(back->origin, plan.origin);
  EXPECT_EQ(back->choices, plan.choices) << text;
  EXPECT_EQ(back->heights, plan.heights) << text;
  EXPECT_EQ(back->loads, plan.loads) << text;
  EXPECT_EQ(back->constants_size, plan.constants_size);
  EXPECT_EQ(write_plan(*back, network, device), text);
}

TEST(PlanIo, RandomPlansReadBackAsTheyWere) {
  test::Random random(20240611);
  int feasible = 0;
  for (int i = 0; i < 150; ++i) {
    const auto network = test::random_network(random);
    const auto device = test::random_device(random);
    auto made = make_plan(*network, *device, test::random_choices(random, *network, *device));
    if (const auto* plan = std::get_if<Plan>(&made)) {
      ++feasible;
      expect_round_trip(*plan, *network, *device);
      if (HasFailure()) break;
    }
  }
  EXPECT_GE(feasible, 50);
}

TEST(PlanIo, RulePlansReadBackAsTheyWere) {
  for (const char* network : {"resnet8", "ds-cnn", "autoencoder", "mobilenet-v1-0.25-96"}) {
    const auto s = shipped(network, "gap8-class");
    int made = 0;
    for (auto plan : {rule_based_plan(*s.network, *s.device, false), rule_based_plan(*s.network, *s.device, true),
                      tflm_plan(*s.network, *s.device)})
      if (const auto* p = std::get_if<Plan>(&plan)) expect_round_trip(*p, *s.network, *s.device), ++made;
    EXPECT_GE(made, 2) << network;
  }
}

class WrittenPlan : public testing::Test {
 protected:
  void SetUp() override {
    s = shipped("resnet8", "gap8-class");
    auto made = rule_based_plan(*s.network, *s.device, true);
    ASSERT_TRUE(std::holds_alternative<Plan>(made));
    plan = std::get<Plan>(made);
    text = write_plan(plan, *s.network, *s.device);
  }
  void replace(const std::string& what, const std::string& by) {
    const auto at = text.find(what);
    ASSERT_NE(at, std::string::npos) << what << " in\n" << text;
    text.replace(at, what.size(), by);
  }
  std::string errors() {
    Diagnostics d;
    const auto back = read_plan_text(text, "plan.yaml", *s.network, *s.device, d);
    EXPECT_FALSE(back.has_value());
    EXPECT_TRUE(d.has_errors());
    return d.text();
  }
  const PlacedBuffer& buffer(const std::string& name) const {
    for (const auto& b : plan.buffers)
      if (b.name == name) return b;
    throw std::runtime_error("no " + name);
  }
  /// The line of a buffer, up to its offset's value.
  std::string head(const PlacedBuffer& b) const {
    return fmt::format("name: {}, memory: {}, offset: ", b.name, s.device->memories[b.memory].name);
  }
  Shipped s;
  Plan plan;
  std::string text;
};

TEST_F(WrittenPlan, WithoutBuffersIsPlacedAnew) {
  text.erase(text.find("buffers:"));
  Diagnostics d;
  const auto back = read_plan_text(text, "plan.yaml", *s.network, *s.device, d);
  ASSERT_TRUE(back.has_value()) << d.text();
  EXPECT_EQ(back->id(), plan.id());
}

TEST_F(WrittenPlan, WithoutHashesIsTried) {
  replace(", structure: \"" + plan.network_hash + "\"", "");
  replace(", hash: \"" + plan.device_hash + "\"", "");
  Diagnostics d;
  EXPECT_TRUE(read_plan_text(text, "plan.yaml", *s.network, *s.device, d).has_value()) << d.text();
}

TEST_F(WrittenPlan, OfAnotherDeviceOrNetworkIsRefused) {
  replace(plan.device_hash, "0123456789abcdef");
  replace("{name: resnet8", "{name: resnet9");
  EXPECT_THAT(errors(),
              AllOf(HasSubstr("plan.yaml:2:17: error: the plan is for network 'resnet9', not for 'resnet8'"),
                    HasSubstr("plan.yaml:3:34: error: the plan was made for another version of device gap8-class")));
}

TEST_F(WrittenPlan, ThatOverlapsNamesBothBuffers) {
  const auto& in = buffer("stem.in0");
  const auto* other = &in;
  for (const auto& b : plan.buffers)
    if (b.memory == in.memory && b.first == in.first && b.offset != in.offset && b.size > 0) other = &b;
  ASSERT_NE(other, &in);
  const auto& low = other->offset < in.offset ? *other : in;
  const auto& high = other->offset < in.offset ? in : *other;
  replace(head(high) + std::to_string(high.offset), head(high) + std::to_string(low.offset));
  EXPECT_THAT(errors(), AllOf(HasSubstr(low.name), HasSubstr(high.name), HasSubstr("both live in layer"),
                              HasSubstr("bytes short")));
}

TEST_F(WrittenPlan, OutsideItsMemoryNamesTheShortfall) {
  const auto& b = buffer("stem.in0");
  const auto free = s.device->memories[b.memory].free();
  replace(head(b) + std::to_string(b.offset), head(b) + std::to_string(free - free % 4));
  EXPECT_THAT(errors(), AllOf(HasSubstr("l1 is " + fmt::format("{:.1f}", b.size / 1024.0) + " KiB short"),
                              HasSubstr("stem.in0")));
}

TEST_F(WrittenPlan, MisalignedOrWrongInSizeOrMemoryIsRefusedAllAtOnce) {
  const auto& b = buffer("stem.in0");
  replace(head(b) + std::to_string(b.offset) + ", size: " + std::to_string(b.size),
          head(b) + std::to_string(b.offset + 1) + ", size: " + std::to_string(b.size + 4));
  replace("name: t0, memory: l2", "name: t0, memory: l1");
  const auto e = errors();
  EXPECT_THAT(e, HasSubstr(fmt::format("buffer stem.in0 needs {} bytes, not {}", b.size, b.size + 4)));
  EXPECT_THAT(e, HasSubstr("is no multiple of 4"));
  EXPECT_THAT(e, HasSubstr("buffer t0 lies in l2"));
}

TEST_F(WrittenPlan, MissingUnknownAndRepeatedBuffersAreNamed) {
  replace("name: stem.in0,", "name: stem.in7,");
  replace("name: t0,", "name: stem.out,");
  const auto e = errors();
  EXPECT_THAT(e, HasSubstr("the layers have no buffer 'stem.in7'"));
  EXPECT_THAT(e, HasSubstr("buffer stem.in0 is missing"));
  EXPECT_THAT(e, HasSubstr("buffer 'stem.out' is listed twice"));
}

TEST_F(WrittenPlan, UnknownLayersChoicesAndValuesAreNamed) {
  replace("  stem: {", "  stem0: {schem: planar}\n  stem: {scheme: planer, ");
  text.erase(text.find("buffers:"));
  const auto at = text.find("scheme: planer, ") + 16;
  const auto second = text.find("scheme: ", at);
  ASSERT_LT(second, text.find('\n', at));
  text.erase(second,
             text.find_first_of(",}", second) + (text[text.find_first_of(",}", second)] == ',' ? 2 : 0) - second);
  const auto e = errors();
  EXPECT_THAT(e, HasSubstr("has no layer 'stem0'"));
  EXPECT_THAT(e, HasSubstr("'planer' is no scheme of layer stem"));
  EXPECT_THAT(e, HasSubstr("possible are interleaved"));
}

TEST_F(WrittenPlan, ThatCannotFitSaysWhichLayerIsShort) {
  text =
      "format: 1\nnetwork: {name: resnet8}\ndevice: {name: gap8-class}\nlayers:\n  conv6: {output: l2}\n"
      "  stack3: {scheme: interleaved, tile: all, filters: all, output: l2}\n";
  EXPECT_THAT(errors(), AllOf(HasSubstr(":6:3: error: l1 is "), HasSubstr("short: layer stack3 needs ")));
}

TEST_F(WrittenPlan, WhatIsInfeasibleIsAValue) {
  auto choices = plan.choices;
  auto tight = *s.device;
  const int near = tight.engines[tight.compute_engine()].memories.front();
  tight.memories[near].size = tight.memories[near].reserved + plan.heights[near] - 8;
  const auto made = make_plan(*s.network, tight, choices);
  const auto* no = std::get_if<Infeasible>(&made);
  ASSERT_NE(no, nullptr);
  EXPECT_EQ(no->memory, near);
  EXPECT_EQ(no->shortfall, plan.heights[near] - tight.memories[near].free());
  ASSERT_GE(no->op, 0);
  EXPECT_THAT(no->what, HasSubstr("layer " + s.network->operators[no->op].name + " needs"));
}

}  // namespace
}  // namespace dse::plan::plan_io_test
