// Plans whose checksum is right and whose contents need not be: what the runtime makes of them, tasks and kernels
// included. For the fuzz target and for the tests. Needs nothing but the runtime.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "dse_decode.h"
#include "dse_exec.h"
#include "dse_npu_emulation.h"
#include "dse_npu_stream.h"
#include "dse_port_random.h"
#include "dse_runtime.h"

namespace dse::test {

using PlanBytes = std::vector<std::uint8_t>;

/// Makes length and CRC right again. Needs 16 bytes.
inline void seal_plan(PlanBytes& b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < 4; ++i) b[8 + i] = static_cast<std::uint8_t>(n >> (8 * i));
  const std::uint32_t crc = dse_crc32c(0, b.data(), static_cast<std::uint32_t>(n - 4));
  for (std::size_t i = 0; i < 4; ++i) b[n - 4 + i] = static_cast<std::uint8_t>(crc >> (8 * i));
}

/// skipped: it would take too much memory or time for a test, though not more than it says.
enum class Fate { refused, stopped, finished, skipped };

inline double work_of(const dse_task& t);

/// At the most, of a stream: of all its kernels as many calls as its meaning may hold, of the largest operator.
inline double work_of_stream(const dse_runtime& rt, const dse_task& t) {
  dse_task call{};
  call.kind = DSE_TASK_CALL;
  double most = 1;
  for (std::uint32_t i = 0; i < rt.operator_count; ++i) {
    if (dse_read_operator(&rt, i, &call.op) != DSE_OK) continue;
    const dse_op& o = call.op;
    call.tile = {{0, o.out_h}, {0, o.out_w}, {0, o.out_c}, {0, o.in_c}, 0};
    most = std::max(most, work_of(call));
  }
  dse_reader r{t.payload, 0, t.payload_bytes, 0};
  const std::uint32_t bytes = dse_read_size(&r);
  double kernels = 0;
  for (std::uint32_t at = r.at; !r.bad && at + 4 <= r.end && at - r.at + 4 <= bytes; at += 4)
    kernels += t.payload[at] == DSE_NPU_KERNEL && t.payload[at + 1] == 0;
  return kernels * (most * (1 + t.payload_bytes / 44.0) + 16.0 * t.payload_bytes);
}

/// About how many elements a call touches.
inline double work_of(const dse_task& t) {
  const auto extent = [](dse_span s) { return static_cast<double>(s.hi - s.lo); };
  double n = extent(t.tile.y) * extent(t.tile.x) * extent(t.tile.c);
  if (t.kind != DSE_TASK_CALL) return n;
  const dse_op& o = t.op;
  const double taps = std::max(1.0, static_cast<double>(o.kernel_h) * o.kernel_w);
  n *= taps * std::max(1.0, extent(t.tile.k));
  n = std::max(n, extent(t.tile.y) * extent(t.tile.x) * taps * std::max(1, o.in_c));
  if (o.kind == DSE_SVDF || o.kind == DSE_LSTM)
    n = 8.0 * o.in_h * o.in_w * (std::max(1, o.arg[DSE_ARG_WEIGHT_BYTES]) + std::max(1, o.arg[DSE_ARG_STATE0]));
  if (o.kind == DSE_MEAN || o.kind == DSE_REDUCE_MAX || o.kind == DSE_REDUCE_MIN)
    for (int d = 0; d < o.arg[9]; ++d) n *= o.arg[10 + d];
  if (o.kind == DSE_ARG_MAX || o.kind == DSE_ARG_MIN) n *= o.arg[0];
  return n;
}

/// The random port, which refuses what would take too long.
struct BoundedPort {
  dse_port_random random;
  dse_port inner;
  double left = 3e6;  // elements

  static int submit(void* state, const dse_runtime* rt, const dse_task* t) {
    auto* p = static_cast<BoundedPort*>(state);
    p->left -= t->kind == DSE_TASK_STREAM ? work_of_stream(*rt, *t) : work_of(*t);
    return p->left < 0 ? DSE_ERR_PORT : p->inner.submit(p->inner.state, rt, t);
  }
  static int wait(void* state, const dse_runtime* rt, const dse_completion* after, std::int32_t count) {
    auto* p = static_cast<BoundedPort*>(state);
    return p->inner.wait(p->inner.state, rt, after, count);
  }
};

/// Opens, binds and runs the plan twice between guard bytes, over inputs that are noise, and weights that are unless
/// they are given, as many as the plan says; aborts where it
/// wrote outside an arena or onto the weights.
inline Fate run_damaged(const PlanBytes& bytes, std::uint64_t seed, const PlanBytes& weights = {}) {
  constexpr std::uint32_t kMost = 1u << 18, kGuard = 64;
  const auto exact = std::make_unique<std::uint8_t[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), exact.get());
  dse_runtime rt;
  if (dse_open(&rt, exact.get(), static_cast<std::uint32_t>(bytes.size())) != DSE_OK) return Fate::refused;
  if (dse_instruction_count(&rt) > 20'000 || dse_constants_size(&rt) > kMost) return Fate::skipped;
  std::vector<PlanBytes> arenas;
  std::vector<dse_arena> bases;
  std::uint64_t noise = seed * 2 + 1;
  const auto draw = [&] {
    noise = noise * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint8_t>(noise >> 56);
  };
  for (int i = 0; i < dse_arena_count(&rt); ++i) {
    if (dse_arena_size(&rt, i) > kMost || dse_arena_alignment(&rt, i) > 16) return Fate::skipped;
    arenas.emplace_back(dse_arena_size(&rt, i) + 2 * kGuard, std::uint8_t{0x5A});
    for (std::size_t k = kGuard; k + kGuard < arenas.back().size(); ++k) arenas.back()[k] = draw();
  }
  for (auto& a : arenas) bases.push_back({a.data() + kGuard, static_cast<std::uint32_t>(a.size() - 2 * kGuard)});
  PlanBytes constants(dse_constants_size(&rt));
  for (auto& b : constants) b = draw();
  if (weights.size() == constants.size()) constants = weights;
  const PlanBytes before = constants;
  if (dse_bind(&rt, bases.data(), static_cast<std::int32_t>(bases.size()), constants.data()) != DSE_OK)
    return Fate::refused;
  // An NPU's working memory with guard bytes too; what asks for more than there is ends with an error.
  std::vector<std::uint64_t> working((kMost + 2 * kGuard) / 8, 0x5A5A5A5A5A5A5A5A);
  const auto working_bytes = [&](std::size_t i) { return reinterpret_cast<std::uint8_t*>(working.data())[i]; };
  const dse_npu_emulation npu = {reinterpret_cast<std::uint8_t*>(working.data()) + kGuard, kMost};
  dse_npu_attach(&rt, &npu);
  const auto port = std::make_unique<BoundedPort>();
  Fate fate = Fate::finished;
  for (int run = 0; run < 2 && fate == Fate::finished; ++run) {
    port->inner = dse_make_port_random(&port->random, seed + static_cast<std::uint64_t>(run), 0);
    const dse_port bounded = {port.get(), BoundedPort::submit, BoundedPort::wait};
    const int status = dse_run(&rt, &bounded);
    if (status != DSE_OK) fate = port->left < 0 ? Fate::skipped : Fate::stopped;
  }
  for (const auto& a : arenas)
    for (std::size_t i = 0; i < kGuard; ++i)
      if (a[i] != 0x5A || a[a.size() - 1 - i] != 0x5A) std::abort();
  for (std::size_t i = 0; i < kGuard; ++i)
    if (working_bytes(i) != 0x5A || working_bytes(working.size() * 8 - 1 - i) != 0x5A) std::abort();
  if (constants != before) std::abort();
  return fate;
}

}  // namespace dse::test
