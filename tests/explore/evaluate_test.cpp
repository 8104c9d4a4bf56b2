// Assignments that come in as lines: the same plans and numbers as from inside, and what is said of those that are
// none.
#include "explore/ask/evaluate.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "explore/explore.h"
#include "explore/measure/point.h"
#include "explore/question/allowed.h"
#include "models/hw/device_reader.h"
#include "plan/make/make_plan.h"
#include "plan/plan.h"
#include "tests/support/random_cases.h"

namespace dse::explore::explore_evaluate_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using Status = Evaluation::Status;

const std::string device_file = DSE_SOURCE_DIR "/configs/devices/gap8-class.yaml";

std::string device_text() {
  std::ifstream in(device_file);
  return {std::istreambuf_iterator<char>(in), {}};
}

hw::DevicePtr gap8(const yaml::Overrides& overrides = {}) {
  Diagnostics d;
  auto device = hw::read_device_text(device_text(), device_file, overrides, d);
  EXPECT_TRUE(device) << d.text();
  return device;
}

Evaluator evaluator(const nn::NetworkPtr& network, EvaluatorOptions options = {}) {
  return {network, device_text(), device_file, options};
}

Evaluation ask(Evaluator& e, const json& line) { return e.evaluate({line.dump(), false}); }

TEST(Evaluator, EqualsThePlanMadeAndSimulatedFromInside) {
  test::Random random(11);
  const auto device = gap8();
  int measured = 0;
  for (int round = 0; round < 40; ++round) {
    const auto network = test::random_network(random);
    auto strict = evaluator(network, {.verify = true}), lenient = evaluator(network, {.lenient = true});
    const auto choices = test::random_choices(random, *network, *device);
    const auto made = plan::make_plan(*network, *device, choices);
    const json line = plan::to_assignment(*network, *device, choices);
    const auto got = ask(strict, line);
    ASSERT_NE(got.status, Status::invalid) << line << to_json(got);
    EXPECT_EQ(ask(lenient, line).plan, got.plan);
    if (const auto* why = std::get_if<plan::Infeasible>(&made)) {
      EXPECT_EQ(got.status, Status::infeasible);
      EXPECT_EQ(got.reason, why->what);
      continue;
    }
    ++measured;
    const auto point =
        simulate_point({network, device, "gap8"}, std::get<plan::Plan>(made), /*verify=*/false, /*trace=*/false);
    EXPECT_EQ(got.status, Status::ok) << to_json(got);
    EXPECT_EQ(got.plan, point.id);
    EXPECT_EQ(got.ticks, point.latency_ticks);
    EXPECT_EQ(got.memory, point.memory_bytes);
    EXPECT_EQ(got.latency_us, point.latency_us);
    EXPECT_EQ(got.energy_uj, point.energy_uj);
    EXPECT_EQ((std::map<std::string, double>{got.metrics.begin(), got.metrics.end()}), point.metrics);
    EXPECT_EQ(got.metrics.size(), point.metrics.size());
    EXPECT_EQ(got.assignment, plan::to_assignment(*network, *device, std::get<plan::Plan>(made)));
  }
  EXPECT_GT(measured, 10);
}

TEST(Evaluator, TellsEnergyWhereTheDeviceSaysWhoseItIs) {
  test::Random random(13);
  const auto network = test::random_network(random);
  auto unsaid = evaluator(network), said = evaluator(network, {.overrides = {{"energy_source", "x", {"test", 0, 0}}}});
  const auto without = json::parse(to_json(ask(unsaid, json::object())));
  auto with = json::parse(to_json(ask(said, json::object())));
  ASSERT_EQ(with["status"], "ok") << with;
  EXPECT_GT(with.at("energy_uj"), 0);
  EXPECT_GT(with.at("metrics").at("energy"), 0);
  with.erase("energy_uj"), with["metrics"].erase("energy");
  EXPECT_EQ(without, with);
}

/// What several layers decide together is only written down where it is not the default.
bool unsearched_default(const std::string& name, const std::string& value) {
  static const auto registry = plan::ChoiceRegistry::standard();
  const auto* choice = registry.find(split_choice(name).second);
  return choice && !choice->searched &&
         (value == "no" || value == "cached" || (choice->name == "strips" && value == "1"));
}

TEST(Evaluator, WhatIsDrawnFreelyIsNeverInvalidWhenLenient) {
  test::Random random(12);
  const auto device = gap8();
  int measured = 0, left_out = 0;
  for (int round = 0; round < 40; ++round) {
    const auto network = test::random_network(random);
    auto strict = evaluator(network), lenient = evaluator(network, {.lenient = true});
    json line = json::object();
    for (const auto& c : plan::list_choices(*network, *device))
      line[c.name] = c.values[static_cast<std::size_t>(test::pick(random, 0, static_cast<int>(c.values.size()) - 1))];
    const auto got = ask(lenient, line);
    ASSERT_THAT(got.status, testing::AnyOf(Status::ok, Status::infeasible)) << line << to_json(got);
    left_out += ask(strict, line).status == Status::invalid;
    if (got.status != Status::ok) continue;
    ++measured;
    // What was drawn and is not what was run does not exist there or is not offered there.
    for (const auto& [name, drawn] : line.items()) {
      const auto run = got.assignment.find(name);
      if (run != got.assignment.end() && run->second == drawn) continue;
      if (run == got.assignment.end() && unsearched_default(name, drawn)) continue;  // left out of assignments
      json other = got.assignment;
      other[name] = drawn;
      EXPECT_THAT(to_json(ask(strict, other)), testing::AllOf(HasSubstr("\"invalid\""), HasSubstr(name + ": ")));
    }
    // What was run is complete: it says the same to a strict reader.
    const auto again = ask(strict, got.assignment);
    EXPECT_EQ(to_json(again), to_json(got));
  }
  EXPECT_GT(measured, 5);
  EXPECT_GT(left_out, 5);
}

TEST(Evaluator, DevicesChangeByTheirFieldsAndAreForgotten) {
  test::Random random(13);
  const auto network = test::random_network(random);
  auto few = evaluator(network, {.devices = 2}), many = evaluator(network);
  for (int round = 0; round < 3; ++round)
    for (const char* size : {"32 KiB", "64 KiB", "1 MiB", "much", "40 KiB"}) {
      const json line = {{"device.memories.l1.size", size}};
      const auto got = ask(few, line);
      EXPECT_EQ(to_json(got), to_json(ask(many, line)));
      EXPECT_EQ(got.status == Status::invalid, size == std::string("much"));
      if (got.status != Status::ok) continue;
      Diagnostics d;
      const auto device = gap8({{"memories.l1.size", size, {}}});
      const auto defaults = plan::decisions_from(*network, *device, {}, plan::ChoiceRegistry::standard(), "", d);
      ASSERT_TRUE(defaults);
      const auto made = plan::plan_of(*network, *device, *defaults);
      ASSERT_TRUE(std::holds_alternative<plan::Plan>(made));
      EXPECT_EQ(got.plan, std::get<plan::Plan>(made).id());
    }
}

TEST(Evaluator, ErrorsAreToldByNameAndNotWithoutEnd) {
  test::Random random(14);
  auto e = evaluator(test::random_network(random));
  json line = {{"id", "x"}};
  for (int i = 0; i < 1000; ++i) line["nothing" + std::to_string(i)] = i;
  const auto got = ask(e, line);
  EXPECT_EQ(got.status, Status::invalid);
  EXPECT_EQ(got.id, "\"x\"");
  ASSERT_EQ(got.errors.size(), 21u);
  EXPECT_EQ(got.errors.back().what, "and 980 more");
  const auto j = json::parse(to_json(got));
  EXPECT_EQ(j["status"], "invalid");
  EXPECT_EQ(j["id"], "x");
  EXPECT_THAT(j["errors"][0]["what"].get<std::string>(), HasSubstr("nothing"));
  EXPECT_EQ(e.evaluate({"", true}).status, Status::invalid);
  EXPECT_EQ(ask(e, json::object()).status == Status::invalid, false);
}

TEST(Evaluator, WhatAChangeBreaksElsewhereInTheDeviceIsToldWithItsPlace) {
  test::Random random(15);
  auto e = evaluator(test::random_network(random));
  const auto j =
      json::parse(to_json(ask(e, {{"device.memories", "{l9: {size: 64 KiB, width: 4 B/cycle, latency: 1}}"}})));
  EXPECT_EQ(j["status"], "invalid");
  EXPECT_THAT(j["errors"].dump(), HasSubstr("gap8-class.yaml:"));
  for (const auto& error : j["errors"]) EXPECT_FALSE(error.contains("column")) << error;
}

TEST(Evaluator, ADefectIsAnAnswerAndTheNextLineIsMeasured) {
  test::Random random(16);
  auto registry = plan::ChoiceRegistry::standard();
  bool broken = true;
  plan::Choice choice = *registry.find("order");
  choice.name = "further", choice.needs = {};
  choice.get = [](const plan::LayerChoice&) { return 0; };
  choice.set = [](plan::LayerChoice&, int) {};
  choice.domain = [&](const plan::LayerContext&, const plan::LayerChoice&) {
    ensure(!broken, "this choice is broken");
    return std::vector<int>{0};
  };
  registry.add(choice);
  Evaluator e(test::random_network(random), device_text(), device_file, {}, registry);
  const auto got = ask(e, {{"id", 1}});
  EXPECT_EQ(got.status, Status::failed);
  EXPECT_EQ(got.id, "1");
  EXPECT_THAT(got.reason, HasSubstr("this choice is broken"));
  broken = false;
  EXPECT_EQ(ask(e, json::object()).status, Status::ok);
}

TEST(Evaluator, WholeNumbersAreWrittenAsSuch) {
  Evaluation e;
  e.plan = "x";
  e.metrics = {{"whole", 3.0}, {"part", 0.5}, {"large", 1e300}};
  const auto text = to_json(e);
  EXPECT_THAT(text, HasSubstr(R"({"whole":3,"part":0.5,"large":1e+300})"));
}

}  // namespace
}  // namespace dse::explore::explore_evaluate_test
