// The house is open: a choice and a kernel library, declared in this one file, are met wherever the standard ones are.
#include <gmock/gmock.h>

#include <algorithm>

#include "explore/explore.h"
#include "explore/question/files/sweep_file.h"
#include "models/hw/device_reader.h"
#include "models/hw/libraries/libraries.h"
#include "models/nn/import.h"
#include "plan/check/check.h"
#include "plan/choices/assignment.h"
#include "plan/choices/choice.h"
#include "plan/document/document.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/plan.h"
#include "plan/rules/rules.h"
#include "program/encoding.h"
#include "tests/sim/support.h"

namespace dse::declared_test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kNetwork = "declared";  // other tests of this executable keep the standard choices

/// "pace": slow layers take one row at a time, whatever else was chosen.
const bool pace_declared = [] {
  plan::Choice pace;
  pace.name = "pace";
  pace.doc = "slow: one row at a time";
  pace.needs = {"tile"};
  pace.domain = [](const plan::LayerContext& c, const plan::LayerChoice& l) {
    return c.network->name == kNetwork && l.tile > 1 ? std::vector<int>{0, 1} : std::vector<int>{0};
  };
  pace.text = [](const hw::Device&, int v) { return v == 1 ? "slow" : "usual"; };
  pace.parse = [](const hw::Device&, const std::string& s) -> std::optional<int> {
    return s == "slow" ? std::optional(1) : s == "usual" ? std::optional(0) : std::nullopt;
  };
  plan::ChoiceRegistry::declare(std::move(pace), [](const plan::LayerContext&, int value, plan::LayerChoice& choice) {
    if (value == 1) choice.tile = 1;
  });
  return true;
}();

/// Each call takes 1000 cycles.
class Flat final : public hw::LibraryTiming {
 public:
  std::int64_t cycles(const program::CallWork&) const override { return 1000; }
  std::int64_t least_cycles(const program::CallWork&) const override { return 1000; }
  int kernel(const program::CallWork& work) const override { return work.op->kind; }
};
const bool flat_added = [] {
  hw::add_library("flat", [](const hw::Engine&) { return std::make_shared<const Flat>(); });
  return true;
}();

nn::NetworkPtr network() {
  Diagnostics diags;
  const auto n = nn::load_network(DSE_SOURCE_DIR "/configs/networks/ds-cnn.yaml", diags);
  EXPECT_TRUE(n) << diags.text();
  auto out = std::make_shared<nn::Network>(*n);
  out->name = kNetwork;
  return out;
}

hw::DevicePtr device(const std::string& library = {}) {
  Diagnostics diags;
  const auto d = hw::read_device(DSE_SOURCE_DIR "/configs/devices/gap8-class.yaml", {}, diags);
  EXPECT_TRUE(d) << diags.text();
  auto out = std::make_shared<hw::Device>(*d);
  if (!library.empty()) out->kernel_library = library;
  return out;
}

plan::Plan made(const nn::Network& n, const hw::Device& d, const std::vector<plan::LayerChoice>& choices) {
  auto plan = plan::make_plan(n, d, choices);
  EXPECT_TRUE(std::holds_alternative<plan::Plan>(plan)) << std::get_if<plan::Infeasible>(&plan)->what;
  return std::get<plan::Plan>(std::move(plan));
}

TEST(DeclaredChoice, ChangesTheProgramAndTheIdAndIsInTheDocument) {
  const auto n = network();
  const auto d = device();
  auto choices = std::get<plan::Plan>(plan::rule_based_plan(*n, *d, false)).choices;
  auto& first = choices[0];
  first.tile = 4, first.scheme = plan::Scheme::interleaved;
  const auto usual = made(*n, *d, choices);
  first.further["pace"] = 1;
  const auto slow = made(*n, *d, choices);
  EXPECT_NE(slow.id(), usual.id());
  const auto program = plan::lower(*n, *d, slow);
  EXPECT_NE(program::encode(program), program::encode(plan::lower(*n, *d, usual)));
  const auto findings = plan::check(program, *d);
  EXPECT_TRUE(findings.empty()) << plan::to_string(findings);

  const auto text = plan::write_plan(slow, *n, *d);
  EXPECT_THAT(text, HasSubstr("pace: slow"));
  Diagnostics diags;
  const auto back = plan::read_plan_text(text, "plan.yaml", *n, *d, diags);
  ASSERT_TRUE(back) << diags.text();
  EXPECT_EQ(back->id(), slow.id());
  EXPECT_THAT(plan::plan_schema(), HasSubstr("pace"));
}

TEST(DeclaredChoice, IsListedAndReadFromASweepThatSearchesIt) {
  const auto n = network();
  const auto d = device();
  const auto list = plan::list_choices(*n, *d);
  EXPECT_TRUE(std::any_of(list.begin(), list.end(), [&](const auto& c) {
    return c.name == n->operators[0].name + ".pace" && c.values == std::vector<std::string>{"usual", "slow"};
  }));

  Diagnostics diags;
  const auto spec = explore::read_sweep_text(
      "format: 1\nnetworks: [ds-cnn]\ndevices: [gap8-class]\nexplore:\n  by_phases: false\n"
      "  choices: {pace: slow, tile: \"4\"}\n",
      "sweep.yaml", diags);
  ASSERT_TRUE(spec) << diags.text();
  const auto sweep = explore::explore(*spec, {{n, d, "gap8-class"}}, {}, diags);
  ASSERT_FALSE(diags.has_errors()) << diags.text();
  std::size_t slow = 0;
  for (const auto& front : sweep.fronts)
    for (const auto& point : front.points)
      for (const auto& [name, value] : point.assignment) {
        if (point.origin != "front" || !name.ends_with(".pace")) continue;
        EXPECT_EQ(value, "slow") << name;
        ++slow;
      }
  EXPECT_GT(slow, 0u);
}

TEST(DeclaredLibrary, TimesTheDevicesThatNameIt) {
  const auto n = network();
  const auto usual = device(), flat = device("flat");
  EXPECT_NE(usual->hash(), flat->hash());
  const auto choices = std::get<plan::Plan>(plan::rule_based_plan(*n, *usual, false)).choices;
  const auto compute = [&](const hw::Device& d, std::int64_t& calls) {
    const auto program = plan::lower(*n, d, made(*n, d, choices));
    calls = 0;
    program::Walker walker(program);
    for (program::TaskInstance t; walker.next(t);) calls += t.task->kind == &program::call_kind() ? 1 : 0;
    const auto r = sim::testing::run(program, d);
    std::int64_t cycles = 0;
    for (const auto& l : r.layers) cycles += l.ticks[static_cast<std::size_t>(sim::Cause::compute)];
    return cycles;
  };
  std::int64_t calls = 0;
  const auto before = compute(*usual, calls), after = compute(*flat, calls);
  EXPECT_NE(before, after);
  EXPECT_GT(calls, 0);
  EXPECT_EQ(after % 1000, 0);
}

}  // namespace
}  // namespace dse::declared_test
