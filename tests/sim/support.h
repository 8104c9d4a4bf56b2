// Small devices and programs for platform tests.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/hw/device.h"
#include "program/program.h"
#include "sim/platform.h"

namespace dse::sim::testing {

using program::Dependency;
using program::Program;
using program::Range;
using program::View;

/// near (16 B/cycle, latency 0) and far (4 B/cycle, latency 10); a DMA (setup 5) between them with two channels; a CPU
/// that copies 1 B/cycle and computes: dispatch 7 cycles. Nothing else costs anything.
inline hw::Device small_device() {
  hw::Device d;
  d.name = "small";
  d.clock_hz = 1'000'000;
  hw::Memory near;
  near.name = "near", near.size = 1024, near.width = {16, 1}, near.on_chip = true, near.energy_pj_per_byte = 1;
  hw::Memory far;
  far.name = "far", far.size = 8192, far.width = {4, 1}, far.latency = 10, far.energy_pj_per_byte = 10;
  d.memories = {near, far};
  hw::Engine dma;
  dma.name = "dma", dma.kind = hw::EngineKind::dma, dma.links = {{0, 1}}, dma.setup = 5, dma.channels = 2;
  dma.outstanding = 1000, dma.queue = 4;
  hw::Engine cpu;
  cpu.name = "cpu", cpu.kind = hw::EngineKind::cpu, cpu.memories = {0, 1}, cpu.copy_bytes_per_cycle = {1, 1};
  cpu.cycles_per_mac = {{"default", {1, 1}}}, cpu.cycles_per_element = {{"default", {1, 1}}}, cpu.dispatch = 7,
  cpu.queue = 4;
  cpu.energy_pj_per_mac = 3;
  d.engines = {dma, cpu};
  d.constants = d.io = 1;
  return d;
}

inline dse_view bytes() { return {nullptr, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1}; }

/// A program on small_device(): arenas near = 0, far = 1; queues dma = 0, dma.1 = 1, cpu = 2.
inline Program small_program() {
  Program p;
  p.network = "test";
  p.arenas = {{"near", 1024, 4}, {"far", 8192, 4}};
  p.queues = {{"dma", 0, 0}, {"dma.1", 0, 1}, {"cpu", 1, 0}};
  return p;
}

/// Copies `n` bytes; in a loop, tile i lies `n * i` further on in far memory (on the far side only) .
inline void copy(Program& p, int queue, int slot, std::vector<Dependency> deps, int from, std::int64_t from_offset,
                 int to, std::int64_t to_offset, int n) {
  auto c = std::make_shared<program::CopyPayload>();
  c->from = {from, from_offset, bytes()};
  c->to = {to, to_offset, bytes()};
  c->y = c->x = Range::whole(1);
  c->c = Range::whole(n);
  p.task({&program::copy_kind(), queue, slot, std::move(deps), c});
}
/// Far to near (to_offset) or near to far.
inline void load(Program& p, int queue, int slot, std::vector<Dependency> deps, std::int64_t far, std::int64_t near,
                 int n) {
  copy(p, queue, slot, std::move(deps), 1, far, 0, near, n);
}
inline void store(Program& p, int queue, int slot, std::vector<Dependency> deps, std::int64_t near, std::int64_t far,
                  int n) {
  copy(p, queue, slot, std::move(deps), 0, near, 1, far, n);
}

/// Elementwise addition of `n` bytes of near memory: n cycles on the CPU (and its dispatch).
inline void add(Program& p, int slot, std::vector<Dependency> deps, std::int64_t a, std::int64_t b, std::int64_t out,
                int n) {
  dse_op op{};
  op.kind = DSE_ADD;
  op.in_h = op.out_h = op.in_w = op.out_w = 1;
  op.in_c = op.out_c = n;
  op.act_min = -128, op.act_max = 127;
  op.left_shift = 20, op.m1 = op.m2 = 1 << 30, op.m3 = 1 << 30,
  op.s3 = -18;  // (a + b) as such: 2^20 / 2 * 2 / 2^20 ...
  p.operators.push_back(op);
  auto c = std::make_shared<program::CallPayload>();
  c->op = static_cast<int>(p.operators.size()) - 1;
  c->parameters = &p.operators.back();
  c->views[DSE_IN0] = {0, a, bytes()};
  c->views[DSE_IN1] = {0, b, bytes()};
  c->views[DSE_OUT] = {0, out, bytes()};
  c->y = c->x = Range::whole(1);
  c->c = Range::whole(n);
  p.task({&program::call_kind(), 2, slot, std::move(deps), c});
}
/// One call of the whole operator on the CPU: operands lie in the arenas of these roles, all others in near memory.
inline Program one_call(const dse_op& op, const std::map<int, int>& arena_of = {}) {
  Program p = small_program();
  p.arenas[0].size = p.arenas[1].size = 1 << 20;
  for (const auto& [role, arena] : arena_of)
    if (arena > 1) p.arenas.push_back({"slow", 1 << 20, 4});
  p.operators.push_back(op);
  auto c = std::make_shared<program::CallPayload>();
  c->op = 0, c->parameters = &p.operators.back();
  std::int64_t at = 0;
  const auto tile = program::whole_call(op).tile;
  for (int role = 0; role < DSE_ROLES; ++role) {
    const auto box = dse_operand_box(&op, &tile, static_cast<dse_role>(role));
    if (!box.touched && !(role == DSE_SCRATCH && dse_scratch_bytes(&op, &tile) > 0)) continue;
    auto view = bytes();
    view.elem = view.stride_c = dse_role_bytes(&op, static_cast<dse_role>(role));
    view.stride_w = box.c.hi * view.elem, view.stride_h = box.w.hi * view.stride_w;
    const auto place = arena_of.find(role);
    c->views[role] = {place == arena_of.end() ? 0 : place->second, at, view};
    at += 1 << 16;
  }
  c->y = Range::whole(op.out_h), c->x = Range::whole(op.out_w), c->c = Range::whole(op.out_c);
  c->k = Range::whole(op.in_c);
  p.task({&program::call_kind(), 2, 0, {}, c});
  return p;
}
inline void wait(Program& p) {
  p.task({&program::wait_kind(), program::kControl, program::kNoSlot, {}, std::make_shared<program::WaitPayload>()});
}

inline RunResult run(const Program& p, const hw::Device& d,
                     RunOptions options = {.data = false, .accounts = true, .trace = true},
                     const std::vector<RunData>& data = {}) {
  Platform& platform = Platform::instance();
  const auto device = std::make_shared<const hw::Device>(d);
  platform.configure(device);
  return platform.run({whole_program(p, d)}, options, data);
}

}  // namespace dse::sim::testing
