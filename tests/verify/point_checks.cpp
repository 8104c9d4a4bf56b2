#include "tests/verify/point_checks.h"

#include <fmt/format.h>

#include <filesystem>

#include "deploy/export/package.h"
#include "deploy/host/runner.h"
#include "explore/measure/point.h"
#include "plan/check/check.h"
#include "plan/document/document.h"
#include "plan/lower/lower.h"
#include "plan/plan.h"
#include "program/encoding.h"
#include "tests/deploy/shipment.h"
#include "tests/support/shell.h"

namespace dse::verify {
namespace {

namespace fs = std::filesystem;

constexpr int kInterleavings = 12;  // beside the eight that writing a package tries

/// The reported numbers are those of the plan in the file, run again with real bytes.
void check_simulation(const PointJob& job, const plan::Plan& plan, const deploy::ByteVectors& truth,
                      std::vector<std::string>& wrong) {
  const auto& p = *job.point;
  const auto again = explore::simulate_point(*job.c, plan, true, false);
  if (again.run.failure) return wrong.push_back("the simulation fails: " + again.run.failure->what);
  if (!p.verified || !again.verified) wrong.push_back("simulated bytes are not the interpreter's");
  if (again.run.outputs != truth) wrong.push_back("simulated outputs differ from the interpreter's");
  if (again.latency_ticks != p.latency_ticks)
    wrong.push_back(fmt::format("{} ticks, reported {}", again.latency_ticks, p.latency_ticks));
  if (again.memory_bytes != p.memory_bytes)
    wrong.push_back(fmt::format("{} bytes, reported {}", again.memory_bytes, p.memory_bytes));
  if (again.id != p.id) wrong.push_back("the plan file holds plan " + again.id);
  if (again.bound_ticks > again.latency_ticks) wrong.push_back("the bound lies above the simulation");
  std::int64_t account = 0;
  for (const auto& layer : again.run.layers) account += layer.total();
  if (account != again.latency_ticks)
    wrong.push_back(fmt::format("the accounts add up to {} of {} ticks", account, again.latency_ticks));
  std::int64_t arenas = 0;
  for (const auto& m : again.run.memories)
    if (job.c->device->memories[static_cast<std::size_t>(m.memory)].on_chip) arenas += m.arena;
  if (arenas != p.memory_bytes)
    wrong.push_back(fmt::format("the simulated arenas are {} bytes, reported {}", arenas, p.memory_bytes));
}

/// The exported package computes the same with every port; as C99 too, where asked.
void check_package(const PointJob& job, const program::Program& program, const std::vector<std::uint8_t>& constants,
                   const deploy::ByteVectors& inputs, const deploy::ByteVectors& truth,
                   std::vector<std::string>& wrong) {
  Diagnostics diags;
  auto shipment = test::shipment_of(program, constants, inputs, truth);
  shipment.points[0].latency_ticks = job.point->latency_ticks;
  shipment.points[0].startup_bytes = job.point->startup_bytes;
  shipment.points[0].id = job.point->id;
  fs::remove_all(job.scratch);
  if (!deploy::write_package(*job.c->network, *job.c->device, shipment, job.scratch, diags))
    return wrong.push_back("not exported: " + diags.text());
  const std::string text = test::text_of(job.scratch + "/plan.dse");
  const auto files =
      deploy::read_contents({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, job.scratch, diags);
  if (!files) return wrong.push_back("not read back: " + diags.text());
  if (files->points[0].program != program::encode(program) || files->images[0] != constants ||
      files->inputs != inputs || files->outputs != truth)
    wrong.push_back("the package holds other bytes than were exported");
  // Interleavings other than those that writing has tried.
  if (!deploy::verify_contents(*files, kInterleavings, 1'000'000, job.point->id, diags)) wrong.push_back(diags.text());
  if (job.compile) {
    if (test::shell(job.scratch, "cc -std=c99 -O1 -Wall -Wextra -Werror *.c -o selftest") != 0)
      wrong.push_back("the package does not compile, see " + job.scratch + "/log.txt");
    else if (test::shell(job.scratch, "./selftest") != 0)
      wrong.push_back("the compiled package fails, see " + job.scratch + "/log.txt");
  }
  if (wrong.empty()) fs::remove_all(job.scratch);
}

}  // namespace

std::vector<std::string> check_point(const PointJob& job) {
  std::vector<std::string> wrong;
  const auto& network = *job.c->network;
  const auto& device = *job.c->device;
  if (job.point->plan_file.empty()) return {"no plan was written"};
  Diagnostics diags;
  const auto plan = plan::read_plan(job.out + "/" + job.point->plan_file, network, device, diags);
  if (!plan) return {"its plan is not read: " + diags.text()};
  const auto program = plan::lower(network, device, *plan);
  for (const auto& finding : plan::check(program, device))
    wrong.push_back(std::string(plan::name_of(finding.kind)) + ": " + finding.message);
  if (static_cast<std::int64_t>(program::encode(program).size()) != job.point->program_bytes)
    wrong.push_back("another program size than reported");

  deploy::ByteVectors inputs, truth;
  for (std::size_t i = 0; i < network.inputs.size(); ++i)
    inputs.push_back(
        nn::seeded_input(network.tensors[static_cast<std::size_t>(network.inputs[i])], static_cast<int>(i), 0));
  const auto tensors = nn::interpret(network, inputs);
  for (const int t : network.outputs) truth.push_back(tensors[static_cast<std::size_t>(t)]);
  check_simulation(job, *plan, truth, wrong);
  check_package(job, program, plan::constants_image(network, device, *plan), inputs, truth, wrong);
  return wrong;
}

}  // namespace dse::verify
