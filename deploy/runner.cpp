#include "deploy/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "dse_port_eager.h"
#include "dse_port_lazy.h"
#include "dse_port_random.h"
#include "program/encoding.h"

namespace dse::deploy {

namespace {

constexpr std::uint8_t kPoison = 0xA5;

/// State of whichever port is in use; the random one is large, hence on the heap.
struct Ports {
  dse_port_eager eager;
  dse_port_lazy lazy;
  dse_port_random random;
};

dse_port make_port(Ports& ports, PortKind kind, std::uint64_t seed) {
  switch (kind) {
    case PortKind::eager:
      return dse_make_port_eager(&ports.eager);
    case PortKind::lazy:
      return dse_make_port_lazy(&ports.lazy);
    case PortKind::random:
      break;
  }
  return dse_make_port_random(&ports.random, seed, 0);
}

}  // namespace

const char* name_of(PortKind k) {
  switch (k) {
    case PortKind::eager:
      return "eager";
    case PortKind::lazy:
      return "lazy";
    case PortKind::random:
      return "random";
  }
  return "?";
}

std::string explain(int error) {
  switch (error) {
    case DSE_OK:
      return "no error";
    case DSE_ERR_MAGIC:
      return "not a plan (no DSEP at its start)";
    case DSE_ERR_FORMAT:
      return "a plan of another format; this runtime reads format " + std::to_string(DSE_PLAN_FORMAT);
    case DSE_ERR_LENGTH:
      return "the plan is cut short or longer than it says";
    case DSE_ERR_CRC:
      return "the plan is damaged: its CRC-32 does not match";
    case DSE_ERR_MALFORMED:
      return "the plan is malformed: an index, count or code is out of range";
    case DSE_ERR_UNSUPPORTED:
      return "the plan has a task that the reference runtime cannot execute (an NPU stream)";
    case DSE_ERR_ARENA:
      return "a task reaches outside its arena, or an arena is missing";
    case DSE_ERR_OPERAND:
      return "an operand of a kernel is absent";
    case DSE_ERR_ORDER:
      return "a task waits for one that cannot run before it: deadlock";
    case DSE_ERR_PORT:
      return "an engine failed";
    case DSE_ERR_WEIGHTS:
      return "the weights are damaged: their CRC-32 does not match";
    case DSE_ERR_TASKS:
      return "the plan has more tasks or instructions than it says, or fewer";
    default:
      return "error " + std::to_string(error);
  }
}

std::optional<ByteVectors> run_package(std::span<const std::uint8_t> plan, std::span<const std::uint8_t> constants,
                                       const ByteVectors& inputs, PortKind kind, std::uint64_t seed,
                                       Diagnostics& diags) {
  auto outputs = run_package_steps(plan, constants, {inputs}, kind, seed, diags);
  if (!outputs) return std::nullopt;
  return std::move(outputs->front());
}

std::optional<std::vector<ByteVectors>> run_package_steps(std::span<const std::uint8_t> plan,
                                                          std::span<const std::uint8_t> constants,
                                                          const std::vector<ByteVectors>& steps, PortKind kind,
                                                          std::uint64_t seed, Diagnostics& diags) {
  const auto fail = [&](const std::string& what) {
    diags.error({}, what);
    return std::nullopt;
  };
  dse_runtime rt;
  if (const int e = dse_open(&rt, plan.data(), static_cast<std::uint32_t>(plan.size())); e != DSE_OK)
    return fail(explain(e));
  if (constants.size() != dse_constants_size(&rt))
    return fail(
        fmt::format("the plan expects {} bytes of constants, not {}", dse_constants_size(&rt), constants.size()));
  const auto inputs_expected = static_cast<std::size_t>(dse_input_count(&rt));
  for (const ByteVectors& inputs : steps)
    if (inputs.size() != inputs_expected)
      return fail(fmt::format("the plan has {} inputs, not {}", inputs_expected, inputs.size()));

  ByteVectors arenas(static_cast<std::size_t>(dse_arena_count(&rt)));
  std::vector<std::uint8_t*> bases;
  for (std::size_t i = 0; i < arenas.size(); ++i) {
    const auto index = static_cast<std::int32_t>(i);
    // Constants alone in their arena are read in place, as from flash.
    const bool in_place = index == dse_constants_arena(&rt) && dse_arena_size(&rt, index) <= constants.size();
    if (!in_place) arenas[i].assign(std::max<std::uint32_t>(dse_arena_size(&rt, index), 1), kPoison);
    bases.push_back(in_place ? nullptr : arenas[i].data());
  }
  const auto image = program::with_checksum(constants);
  if (const int e = dse_bind(&rt, bases.data(), image.data()); e != DSE_OK) return fail(explain(e));

  const auto ports = std::make_unique<Ports>();
  std::vector<ByteVectors> all;
  for (const ByteVectors& inputs : steps) {
    const dse_port port = make_port(*ports, kind, seed);  // counts tasks from the start of a run
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const dse_port_info info = dse_input_info(&rt, static_cast<std::int32_t>(i));
      if (inputs[i].size() != info.size)
        return fail(fmt::format("input {} has {} bytes, not {}", i, info.size, inputs[i].size()));
      std::uint8_t* to = dse_input(&rt, static_cast<std::int32_t>(i));
      if (info.size > 0 && bases[info.arena]) std::copy(inputs[i].begin(), inputs[i].end(), to);
    }
    if (const int e = dse_run_program(&rt, &port); e != DSE_OK) return fail(explain(e));
    ByteVectors outputs;
    for (std::int32_t i = 0; i < dse_output_count(&rt); ++i) {
      const std::uint8_t* from = dse_output(&rt, i);
      outputs.emplace_back(from, from + dse_output_info(&rt, i).size);
    }
    all.push_back(std::move(outputs));
  }
  return all;
}

bool verify_package(const PackageFiles& files, int interleavings, std::uint64_t seed, const std::string& where,
                    Diagnostics& diags) {
  bool good = true;
  const auto check = [&](PortKind kind, std::uint64_t s) {
    const std::string port =
        kind == PortKind::random ? fmt::format("random port, seed {}", s) : fmt::format("{} port", name_of(kind));
    Diagnostics inner;
    const auto outputs = run_package(files.plan, files.constants, files.inputs, kind, s, inner);
    for (const Diagnostic& d : inner.list()) diags.error({where, 0, 0}, port + ": " + d.what);
    if (!outputs) return false;
    if (outputs->size() != files.outputs.size()) {
      diags.error({where, 0, 0},
                  fmt::format("{}: {} outputs, expected {}", port, outputs->size(), files.outputs.size()));
      return false;
    }
    for (std::size_t i = 0; i < outputs->size(); ++i) {
      const auto& is = (*outputs)[i];
      const auto& want = files.outputs[i];
      const auto [a, b] = std::mismatch(is.begin(), is.end(), want.begin(), want.end());
      if (a == is.end() && b == want.end()) continue;
      diags.error({where, 0, 0},
                  a == is.end() || b == want.end()
                      ? fmt::format("{}: output {} has {} bytes, expected {}", port, i, is.size(), want.size())
                      : fmt::format("{}: output {} differs at byte {}: {} instead of {}", port, i, a - is.begin(),
                                    int{*a}, int{*b}));
      return false;
    }
    return true;
  };
  good = check(PortKind::eager, 0) && good;
  good = check(PortKind::lazy, 0) && good;
  for (int i = 0; i < interleavings && good; ++i) good = check(PortKind::random, seed + static_cast<std::uint64_t>(i));
  return good;
}

}  // namespace dse::deploy
