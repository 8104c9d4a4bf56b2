// Inputs released, kept and streamed: the interpreter's bytes, nothing for the checker to find, and the memory that
// each of the three takes.
#include "tests/support/inputs.h"

#include <gmock/gmock.h>

#include <set>

#include "models/hw/device_reader.h"
#include "plan/check/check.h"
#include "plan/choices/assignment.h"
#include "plan/document/document.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/place/input_rows.h"
#include "plan/plan.h"
#include "plan/rules/rules.h"
#include "sim/platform.h"
#include "tests/plan/reference_executor.h"
#include "tests/support/random_cases.h"

namespace dse::plan::plan_inputs_test {
namespace {

using shared::Input;
using ::testing::HasSubstr;
using Bytes = std::vector<std::vector<std::uint8_t>>;

constexpr Input kModes[] = {Input::released, Input::kept, Input::streamed};

Bytes inputs_of(const nn::Network& n, std::uint64_t seed) {
  Bytes out;
  for (std::size_t i = 0; i < n.inputs.size(); ++i)
    out.push_back(nn::seeded_input(n.tensors[static_cast<std::size_t>(n.inputs[i])], static_cast<int>(i), seed));
  return out;
}

Bytes outputs_of(const nn::Network& n, const Bytes& inputs) {
  Bytes out;
  const auto truth = nn::interpret(n, inputs);
  for (const int t : n.outputs) out.push_back(truth[static_cast<std::size_t>(t)]);
  return out;
}

/// On the platform with real bytes.
void expect_runs(const nn::Network& n, const hw::DevicePtr& device, const Plan& plan) {
  const auto program = lower(n, *device, plan);
  EXPECT_EQ(to_string(check(program, *device)), "");
  const auto inputs = inputs_of(n, 3);
  const auto constants = constants_image(n, *device, plan);
  auto& platform = sim::Platform::instance();
  platform.configure(device);
  sim::RunData data;
  data.constants = constants;
  for (const auto& i : inputs) data.inputs.emplace_back(i);
  const auto run = platform.run({sim::whole_program(program, *device)}, {.data = true}, {data});
  ASSERT_FALSE(run.failure) << run.failure->what;
  EXPECT_EQ(run.outputs, outputs_of(n, inputs));
}

class Shipped : public ::testing::TestWithParam<const char*> {};

TEST_P(Shipped, RunsInEveryModeAndTakesNoMoreTheMoreItGivesUp) {
  Diagnostics diags;
  const auto n = nn::load_network(std::string(DSE_SOURCE_DIR) + "/configs/networks/" + GetParam() + ".yaml", diags);
  const auto m7 = hw::read_device(DSE_SOURCE_DIR "/configs/devices/cortex-m7-camera.yaml", {}, diags);
  const auto gap8 = hw::read_device(DSE_SOURCE_DIR "/configs/devices/gap8-class.yaml", {}, diags);
  ASSERT_TRUE(n && m7 && gap8) << diags.text();
  int made = 0;
  for (const auto& device : {m7, test::with_camera(*gap8)})
    for (int how = 0; how < 4; ++how) {
      std::int64_t memory[3] = {};
      for (const auto mode : kModes) {
        auto result = how == 0   ? rule_based_plan(*n, *device, false, mode)
                      : how == 1 ? rule_based_plan(*n, *device, true, mode)
                      : how == 2 ? tflm_plan(*n, *device, mode)
                                 : plan_of(*n, *device, {{.input = mode}, std::get<Plan>(tflm_plan(*n, *m7)).choices});
        const auto* plan = std::get_if<Plan>(&result);
        if (!plan) break;
        SCOPED_TRACE(device->name + ", " + plan->origin + ", " + name_of(mode));
        EXPECT_EQ(plan->input, mode);
        memory[static_cast<int>(mode)] = on_chip_memory(*device, plan->heights);
        expect_runs(*n, device, *plan);
        ++made;
      }
      EXPECT_GE(memory[1], memory[0]) << how;
      EXPECT_GE(memory[0], memory[2]) << how;
    }
  EXPECT_GE(made, 15);
}

INSTANTIATE_TEST_SUITE_P(Networks, Shipped, ::testing::Values("resnet8", "mobilenet-v1-0.25-96"));

TEST(Inputs, RandomPlansComputeTheInterpretersBytesInEveryLegalOrder) {
  int made = 0, larger = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    test::Random random(seed);
    const auto n = seed % 10 == 0 ? test::late_input() : test::random_network(random);
    const auto device = test::with_camera(*test::random_device(random));
    const auto choices = test::random_choices(random, *n, *device);
    std::int64_t loads[3] = {};
    for (const auto mode : kModes) {
      const auto result = make_plan(*n, *device, choices, {.input = mode});
      const auto* plan = std::get_if<Plan>(&result);
      if (!plan) break;
      loads[static_cast<int>(mode)] = plan->loads[static_cast<std::size_t>(device->io)];
      if (mode == Input::released) continue;
      const auto program = lower(*n, *device, *plan);
      ASSERT_EQ(to_string(check(program, *device)), "") << seed << " " << name_of(mode);
      const auto inputs = inputs_of(*n, seed);
      const auto constants = constants_image(*n, *device, *plan);
      for (const auto order : {test::Interleaving::eager, test::Interleaving::lazy, test::Interleaving::random}) {
        const auto run = test::execute(program, constants, inputs, order, seed);
        ASSERT_TRUE(run.ok()) << seed << " " << name_of(mode) << ": " << *run.failure;
        EXPECT_EQ(run.outputs, outputs_of(*n, inputs)) << seed << " " << name_of(mode);
      }
      ++made;
    }
    EXPECT_GE(loads[1], loads[0]) << seed;
    EXPECT_GE(loads[0], loads[2]) << seed;
    larger += loads[1] > loads[0];
  }
  EXPECT_GT(made, 160);
  EXPECT_GT(larger, 20);
}

Plan planned(const nn::Network& n, const hw::Device& device, Input mode) {
  auto made = rule_based_plan(n, device, true, mode);
  ensure(std::holds_alternative<Plan>(made), "not feasible");
  return std::get<Plan>(std::move(made));
}

struct Late : ::testing::Test {
  Late() {
    test::Random random(4);
    device = test::with_camera(*test::random_device(random));
  }
  nn::NetworkPtr n = test::late_input();
  hw::DevicePtr device;
};

TEST_F(Late, AStreamedInputTakesNoRoomBeforeItsFirstReader) {
  const auto released = planned(*n, *device, Input::released), kept = planned(*n, *device, Input::kept),
             streamed = planned(*n, *device, Input::streamed);
  const auto life = [](const Plan& p, const std::string& name) {
    for (const auto& b : p.buffers)
      if (b.name == name) return std::pair(b.first, b.last);
    return std::pair(-1, -1);
  };
  EXPECT_EQ(life(released, "t0"), std::pair(0, 0));
  EXPECT_EQ(life(released, "t1"), std::pair(0, 3));
  EXPECT_EQ(life(released, "t1.input"), std::pair(-1, -1));
  EXPECT_EQ(life(kept, "t0"), std::pair(0, 3));
  EXPECT_EQ(life(streamed, "t1"), std::pair(3, 3));
  EXPECT_EQ(life(streamed, "t1.input"), std::pair(0, 3));
  EXPECT_EQ(life(streamed, "t0.input"), std::pair(0, 0));
  const auto io = static_cast<std::size_t>(device->io);
  EXPECT_LT(streamed.loads[io], released.loads[io]);
  EXPECT_LT(released.loads[io], kept.loads[io]);
  EXPECT_EQ(streamed.heights.back(), 40) << "both inputs, dense";

  const auto program = lower(*n, *device, streamed);
  for (const auto& port : program.inputs) {
    EXPECT_EQ(program.arenas[static_cast<std::size_t>(port.arena)].name, "camera");
    EXPECT_TRUE(port.streamed && !port.preserved);
  }
  for (const auto& port : lower(*n, *device, kept).inputs) EXPECT_TRUE(port.preserved && !port.streamed);
}

TEST_F(Late, PlansAreOthersAndDocumentsAndAssignmentsKeepThem) {
  std::set<std::string> ids;
  for (const auto mode : kModes) {
    const auto plan = planned(*n, *device, mode);
    ids.insert(plan.id());
    const auto text = write_plan(plan, *n, *device);
    EXPECT_EQ(text.find("input: ") != std::string::npos, mode != Input::released) << text;
    Diagnostics diags;
    const auto again = read_plan_text(text, "p.yaml", *n, *device, diags);
    ASSERT_TRUE(again) << diags.text();
    EXPECT_EQ(again->id(), plan.id());
    EXPECT_EQ(again->input, mode);

    const auto assignment = to_assignment(*n, *device, plan);
    EXPECT_EQ(assignment.at("network.input"), name_of(mode));
    const auto decisions = decisions_from(*n, *device, assignment, ChoiceRegistry::standard(), "", diags, Accept::any);
    ASSERT_TRUE(decisions) << diags.text();
    EXPECT_EQ(std::get<Plan>(plan_of(*n, *device, *decisions)).id(), plan.id());
  }
  EXPECT_EQ(ids.size(), 3u);
}

TEST_F(Late, WithoutAMemoryThatInputsComeFromThereIsNoStreaming) {
  auto blind = *device;
  blind.input_from = -1;
  const auto made = make_plan(*n, blind, planned(*n, *device, Input::released).choices, {.input = Input::streamed});
  ASSERT_TRUE(std::holds_alternative<Infeasible>(made));
  EXPECT_THAT(std::get<Infeasible>(made).what, HasSubstr("has no memory that they come from"));

  auto text = write_plan(planned(*n, blind, Input::kept), *n, blind);
  text.replace(text.find("input: kept"), 11, "input: streamed");
  Diagnostics diags;
  EXPECT_FALSE(read_plan_text(text, "p.yaml", *n, blind, diags));
  EXPECT_THAT(diags.text(),
              HasSubstr("p.yaml:6:8: error: device " + blind.name + " has no memory that inputs come from"));

  Diagnostics said;
  EXPECT_FALSE(decisions_from(*n, blind, {{"network.input", "streamed"}}, ChoiceRegistry::standard(), "", said));
  EXPECT_THAT(said.text(), HasSubstr("network.input: device " + blind.name + " has no memory that inputs come from"));
  EXPECT_FALSE(decisions_from(*n, *device, {{"network.input", "stream"}}, ChoiceRegistry::standard(), "", said));
  EXPECT_THAT(said.text(), HasSubstr("did you mean streamed?"));

  const auto values = [&](const hw::Device& d) {
    for (const auto& c : list_choices(*n, d))
      if (c.name == "network.input") return c.values;
    return std::vector<std::string>();
  };
  EXPECT_EQ(values(*device), (std::vector<std::string>{"released", "kept", "streamed"}));
  EXPECT_EQ(values(blind), (std::vector<std::string>{"released", "kept"}));
}

std::string found(const program::Program& p, const hw::Device& d) {
  std::string out;
  for (const auto& f : check(p, d))
    if (f.kind == FindingKind::input) out += f.message + "\n";
  return out;
}

TEST(InputChecks, FindAnInputThatTheCallerKeepsAndATaskOverwrites) {
  int overwritten = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    test::Random random(seed);
    const auto n = test::random_network(random);
    const auto device = test::random_device(random);
    const auto made = make_plan(*n, *device, test::random_choices(random, *n, *device));
    if (std::holds_alternative<Infeasible>(made)) continue;
    auto program = lower(*n, *device, std::get<Plan>(made));
    program.inputs[0].preserved = true;  // a promise that the plan does not keep
    const auto port = program.inputs[0];
    bool reused = false;
    for (const auto& b : program.buffers)
      reused |= b.arena == port.arena && b.tensor != port.tensor && b.role == program::BufferRole::tensor &&
                b.offset < port.offset + port.size && port.offset < b.offset + b.size;
    const auto what = found(program, *device);
    if (reused) EXPECT_THAT(what, HasSubstr("which the caller keeps: ")) << seed;
    overwritten += reused;
  }
  EXPECT_GT(overwritten, 5);
}

TEST_F(Late, TheCheckerFindsAStreamThatIsReadAgain) {
  const auto plan = planned(*n, *device, Input::streamed);
  auto p = lower(*n, *device, plan);
  const auto copies = [&](const program::TaskTemplate& t) {
    const auto* c = dynamic_cast<const program::CopyPayload*>(t.payload.get());
    return c && !c->fill && c->from.arena == device->input_from;
  };
  EXPECT_EQ(std::count_if(p.templates.begin(), p.templates.end(), copies), 2);
  EXPECT_EQ(found(p, *device), "");
  for (std::size_t i = 0; i < p.code.size(); ++i) {
    const auto task = p.code[i];
    if (task.op != program::Instruction::Op::task || !copies(p.templates[static_cast<std::size_t>(task.arg)])) continue;
    p.code.insert(p.code.begin() + static_cast<std::ptrdiff_t>(i), task);  // twice
    break;
  }
  EXPECT_THAT(found(p, *device), HasSubstr("of input a, which comes in once and in order, after"));
}

/// Rows of a streamed input through a ring, as a phase reads them.
TEST(InputRows, GoThroughARing) {
  test::Random random(1);
  nn::NetworkPtr n;
  for (std::uint64_t seed = 0; !n || n->tensors[static_cast<std::size_t>(n->inputs[0])].image().h < 5; ++seed) {
    test::Random draw(seed);
    n = test::random_network(draw);
  }
  const auto device = test::with_camera(*test::random_device(random));
  const int t = n->inputs[0];
  const auto& tensor = n->tensors[static_cast<std::size_t>(t)];
  const auto image = tensor.image();
  const auto row = tensor.bytes() / image.h;
  program::Program p;
  p.queues = device_queues(*device);
  for (const auto& m : device->memories) p.arenas.push_back({m.name, m.size, m.alignment});
  const int io = device->io;
  const std::int64_t out_at = 1024;
  p.inputs = {{"in", t, device->input_from, 64, tensor.bytes()}};
  p.outputs = {{"out", t, io, out_at, tensor.bytes()}};
  p.section({"rows", 0, 0});
  auto ring = input_view(*n, t, io, 0);
  ring.shape.ring_h = 2;
  const auto height = static_cast<std::int32_t>(image.h);
  p.loop(height);
  emit_input_rows(p, *n, *device, t, device->input_from, 64, ring, program::Range::tiles(0, 1, height), 0, {{1, 1}});
  auto payload = std::make_shared<program::CopyPayload>();
  payload->from = ring, payload->to = input_view(*n, t, io, out_at);
  payload->y = program::Range::tiles(0, 1, height);
  payload->x = program::Range::whole(static_cast<std::int32_t>(image.w));
  payload->c = program::Range::whole(static_cast<std::int32_t>(image.c));
  program::TaskTemplate drain;
  drain.kind = &program::copy_kind(), drain.queue = 0, drain.slot = 1, drain.dependencies = {{0, 0}};
  drain.payload = payload;
  p.task(drain);
  p.end();
  p.wait();
  ASSERT_LE(2 * row, out_at);
  const auto input = nn::seeded_input(tensor, 0, 9);
  for (const auto order : {test::Interleaving::eager, test::Interleaving::lazy, test::Interleaving::random}) {
    const auto run = test::execute(p, {}, {input}, order, 5);
    ASSERT_TRUE(run.ok()) << *run.failure;
    EXPECT_EQ(run.outputs[0], input);
  }
  EXPECT_EQ(program::count_tasks(p), 2 * height + 1);
}

}  // namespace
}  // namespace dse::plan::plan_inputs_test
