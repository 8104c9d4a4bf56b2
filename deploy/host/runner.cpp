#include "deploy/host/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <random>

#include "deploy/format/errors.h"
#include "dse_exec.h"
#include "dse_npu_emulation.h"
#include "dse_port_dma.h"
#include "dse_port_eager.h"
#include "dse_port_lazy.h"
#include "dse_port_random.h"
#include "program/encoding.h"

namespace dse::deploy {

namespace {

constexpr std::uint8_t kPoison = 0xA5;

/// The first address in `room` that is a multiple.
std::uint8_t* aligned_in(Bytes& room, std::size_t alignment) {
  const auto at = reinterpret_cast<std::uintptr_t>(room.data());
  return room.data() + (alignment - at % alignment) % alignment;
}

/// A controller that does a copy only when it is waited for, of a queue that is drawn, in the order of the queue.
struct SlowDma {
  std::array<std::deque<dse_task>, DSE_MAX_QUEUES> copies;
  std::array<std::int32_t, DSE_MAX_QUEUES> done{};
  const dse_runtime* rt = nullptr;
  std::mt19937_64 random;

  static int start(void* state, const dse_runtime* rt, const dse_task* copy) {
    auto* s = static_cast<SlowDma*>(state);
    s->rt = rt;
    s->copies[static_cast<std::size_t>(copy->queue)].push_back(*copy);
    return DSE_OK;
  }
  static std::int32_t completed(void* state, std::int32_t queue) {
    return static_cast<SlowDma*>(state)->done[static_cast<std::size_t>(queue)];
  }
  static int idle(void* state) {
    auto* s = static_cast<SlowDma*>(state);
    std::vector<std::size_t> busy;
    for (std::size_t q = 0; q < s->copies.size(); ++q)
      if (!s->copies[q].empty()) busy.push_back(q);
    if (busy.empty()) return DSE_ERR_PORT;
    const std::size_t q = busy[s->random() % busy.size()];
    const int status = dse_execute(s->rt, &s->copies[q].front());
    s->copies[q].pop_front();
    ++s->done[q];
    return status;
  }
};

/// The NPU of a plan that is bound, emulated; nothing where it has none.
class Emulated {
 public:
  explicit Emulated(dse_runtime& rt) {
    dse_task task;
    std::uint32_t bytes = 0;
    while (dse_next(&rt, &task) > 0) bytes = std::max(bytes, dse_npu_task_bytes(&task));
    dse_rewind(&rt);
    memory_.resize((bytes + 7) / 8);
    state_ = {reinterpret_cast<std::uint8_t*>(memory_.data()), static_cast<std::uint32_t>(memory_.size() * 8)};
    dse_npu_attach(&rt, &state_);
  }

 private:
  std::vector<std::uint64_t> memory_;
  dse_npu_emulation state_{};
};

/// State of whichever port is in use; the random one is large, hence on the heap.
struct Ports {
  dse_port_eager eager;
  dse_port_lazy lazy;
  dse_port_dma through_dma;
  SlowDma slow;
  dse_dma dma;
  dse_port_random random;
};

dse_port make_port(Ports& ports, PortKind kind, std::uint64_t seed) {
  switch (kind) {
    case PortKind::eager:
      return dse_make_port_eager(&ports.eager);
    case PortKind::lazy:
      return dse_make_port_lazy(&ports.lazy);
    case PortKind::dma:
      ports.slow = {};
      ports.slow.random.seed(seed);
      ports.dma = {&ports.slow, SlowDma::start, SlowDma::completed, SlowDma::idle};
      return dse_make_port_dma(&ports.through_dma, &ports.dma);
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
    case PortKind::dma:
      return "dma";
    case PortKind::random:
      return "random";
  }
  return "?";
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
  std::vector<dse_arena> bases;
  for (std::size_t i = 0; i < arenas.size(); ++i) {
    const auto index = static_cast<std::int32_t>(i);
    // Constants alone in their arena are read in place, as from flash.
    const bool in_place = index == dse_constants_arena(&rt) && dse_arena_size(&rt, index) <= constants.size();
    const std::uint32_t size = dse_arena_size(&rt, index), alignment = dse_arena_alignment(&rt, index);
    if (!in_place) arenas[i].assign(size + alignment, kPoison);
    bases.push_back({in_place ? nullptr : aligned_in(arenas[i], alignment), size});
  }
  if (const int e = dse_bind(&rt, bases.data(), dse_arena_count(&rt), constants.data()); e != DSE_OK)
    return fail(explain(e));

  Emulated npu(rt);
  const auto ports = std::make_unique<Ports>();
  std::vector<ByteVectors> all;
  for (const ByteVectors& inputs : steps) {
    const dse_port port = make_port(*ports, kind, seed);  // counts tasks from the start of a run
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const dse_port_info info = dse_input_info(&rt, static_cast<std::int32_t>(i));
      if (inputs[i].size() != info.size)
        return fail(fmt::format("input {} has {} bytes, not {}", i, info.size, inputs[i].size()));
      std::uint8_t* to = dse_input(&rt, static_cast<std::int32_t>(i));
      if (info.size > 0 && bases[info.arena].base) std::copy(inputs[i].begin(), inputs[i].end(), to);
    }
    if (const int e = dse_run(&rt, &port); e != DSE_OK) return fail(explain(e));
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
  good = check(PortKind::dma, seed) && good;
  for (int i = 0; i < interleavings && good; ++i) good = check(PortKind::random, seed + static_cast<std::uint64_t>(i));
  return good;
}

namespace {

/// Runs a point through dse_init(), with arenas just as large as it needs; in smaller ones, it must not be taken.
bool opens_as_promised(std::span<const std::uint8_t> package, const PackageFiles& files, std::uint32_t point,
                       const std::string& where, Diagnostics& diags) {
  const auto fail = [&](const std::string& what) {
    diags.error({where, 0, 0}, fmt::format("point {}: {}", point, what));
    return false;
  };
  dse_runtime rt;
  if (const int e = dse_open(&rt, files.plan.data(), static_cast<std::uint32_t>(files.plan.size())); e != DSE_OK)
    return fail(explain(e));
  const std::int32_t count = dse_arena_count(&rt);
  std::vector<Bytes> memory;
  std::vector<dse_arena> arenas;
  for (std::int32_t a = 0; a < count; ++a) {
    const std::uint32_t size = dse_arena_size(&rt, a), alignment = dse_arena_alignment(&rt, a);
    const bool in_place = a == dse_constants_arena(&rt) && size <= dse_constants_size(&rt);
    memory.emplace_back(in_place ? 0 : size + alignment);
    arenas.push_back({in_place ? nullptr : aligned_in(memory.back(), alignment), in_place ? 0 : size});
  }
  Bytes room(package.size() + DSE_SECTION_ALIGNMENT);
  std::uint8_t* aligned = aligned_in(room, DSE_SECTION_ALIGNMENT);
  std::copy(package.begin(), package.end(), aligned);
  const auto init = [&] {
    return dse_init(&rt, aligned, static_cast<std::uint32_t>(package.size()), arenas.data(), count);
  };
  if (const int e = init(); e != DSE_OK) return fail(explain(e));
  if (dse_point(&rt) > point) return fail("a slower point is taken in its arenas");
  const bool chosen = dse_point(&rt) == point;
  for (std::size_t i = 0; i < files.inputs.size(); ++i) {
    std::uint8_t* to = dse_input(&rt, static_cast<std::int32_t>(i));
    if (to) std::copy(files.inputs[i].begin(), files.inputs[i].end(), to);
  }
  Emulated npu(rt);
  dse_port_eager eager;
  const dse_port port = dse_make_port_eager(&eager);
  if (const int e = dse_run(&rt, &port); e != DSE_OK) return fail(explain(e));
  for (std::size_t i = 0; i < files.outputs.size(); ++i) {
    const std::uint8_t* from = dse_output(&rt, static_cast<std::int32_t>(i));
    if (!std::equal(files.outputs[i].begin(), files.outputs[i].end(), from))
      return fail(fmt::format("output {} differs", i));
  }
  for (std::int32_t a = 0; chosen && a < count; ++a) {
    auto& arena = arenas[static_cast<std::size_t>(a)];
    if (arena.size == 0) continue;
    --arena.size;
    const int smaller = init();
    ++arena.size;
    if (smaller == DSE_OK && dse_point(&rt) <= point) return fail(fmt::format("arena {} may be a byte smaller", a));
  }
  return true;
}

}  // namespace

bool verify_contents(const Contents& c, int interleavings, std::uint64_t seed, const std::string& where,
                     Diagnostics& diags) {
  const Bytes package = write_contents(c, Audience::target, false);
  bool good = true;
  for (std::size_t i = 0; i < c.points.size() && good; ++i) {
    const PackageFiles files{c.points[i].program, c.images.at(c.points[i].image), c.inputs, c.outputs};
    good = verify_package(files, interleavings, seed, where, diags) &&
           opens_as_promised(package, files, static_cast<std::uint32_t>(i), where, diags);
  }
  return good;
}

}  // namespace dse::deploy
