// A program like those that planning makes, without planning: a chain of pointwise convolutions, tiled by rows,
// double-buffered through rings, with the weights of each layer copied up from L3. Every operand is real, so it also
// runs with bytes.
#pragma once
#include <algorithm>
#include <memory>
#include <random>
#include <string>

#include "models/hw/device.h"
#include "program/program.h"

namespace dse::synthetic {

struct Shape {
  int layers = 28, tiles = 11, rows = 2, width = 16, channels = 16;
  std::int64_t plane() const { return std::int64_t{tiles} * rows * width * channels; }
  std::int64_t weights() const { return std::int64_t{channels} * channels; }
  std::int64_t constants_per_layer() const { return weights() + 12 * channels; }
};

/// GAP8-like: three memories, one DMA between each pair of neighbours (the inner one with two channels), one MAC array.
inline hw::Device device() {
  hw::Device d;
  d.name = "synthetic";
  d.clock_hz = 100'000'000;
  const auto memory = [&](const char* name, std::int64_t size, Ratio width, std::int64_t latency, bool on_chip) {
    hw::Memory m;
    m.name = name, m.size = size, m.width = width, m.latency = latency, m.on_chip = on_chip;
    m.energy_pj_per_byte = on_chip ? 1 : 40;
    d.memories.push_back(m);
  };
  memory("l1", 64 << 10, {32, 1}, 1, true);
  memory("l2", 512 << 10, {8, 1}, 10, true);
  memory("l3", 8 << 20, {1, 1}, 60, false);
  hw::Engine io;
  io.name = "io_dma", io.kind = hw::EngineKind::dma, io.links = {{2, 1}}, io.setup = 200, io.queue = 4;
  io.outstanding = 8;
  hw::Engine dma;
  dma.name = "cluster_dma", dma.kind = hw::EngineKind::dma, dma.links = {{1, 0}}, dma.setup = 30, dma.per_row = 2;
  dma.dimensions = 2, dma.channels = 2, dma.outstanding = 8, dma.queue = 8;
  hw::Engine cluster;
  cluster.name = "cluster", cluster.kind = hw::EngineKind::mac_array, cluster.memories = {0};
  cluster.macs_per_cycle = {{"int8", {32, 1}}}, cluster.efficiency = {{"conv", {1, 2}}};
  cluster.cycles_per_element = {{"default", {1, 8}}};
  cluster.dispatch = 120, cluster.energy_pj_per_mac = 2, cluster.queue = 4;
  d.engines = {io, dma, cluster};
  d.control.issue = 20, d.control.wait = 30;
  d.constants = 2, d.io = 1;
  return d;
}

inline dse_view dense(int width, int channels, int ring = 0) {
  return dse_view{nullptr, width * channels, channels, 1, 0, 0, ring, 0, 0, 0, 1};
}

inline program::Program program(const Shape& s) {
  using namespace dse::program;
  Program p;
  p.network = "synthetic";
  const std::int64_t ring = std::int64_t{2} * s.rows * s.width * s.channels, constants = s.constants_per_layer();
  p.arenas = {{"l1", 2 * ring + constants, 4}, {"l2", 2 * s.plane() + constants, 4}, {"l3", constants * s.layers, 4}};
  p.constants_arena = 2;
  p.constants_size = constants * s.layers;
  p.queues = {{"io_dma", 0, 0}, {"cluster_dma", 1, 0}, {"cluster_dma.1", 1, 1}, {"cluster", 2, 0}};
  const int height = s.tiles * s.rows;
  p.inputs = {{"input", 0, 1, 0, s.plane()}};
  p.outputs = {{"output", s.layers, 1, s.layers % 2 ? s.plane() : 0, s.plane()}};
  const dse_view bytes{nullptr, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1};
  const auto copy = [&](int queue, int slot, std::vector<Dependency> deps, View from, View to, Range y, Range x,
                        Range c) {
    auto payload = std::make_shared<CopyPayload>();
    payload->from = from, payload->to = to, payload->y = y, payload->x = x, payload->c = c;
    p.task({&copy_kind(), queue, slot, std::move(deps), payload});
  };
  for (int l = 0; l < s.layers; ++l) {
    const std::int64_t in = l % 2 ? s.plane() : 0, out = s.plane() - in;
    p.section({"conv" + std::to_string(l), l, l});
    dse_op op{};
    op.kind = DSE_CONV_2D;
    op.in_h = op.out_h = height, op.in_w = op.out_w = s.width, op.in_c = op.out_c = s.channels;
    op.kernel_h = op.kernel_w = op.stride_h = op.stride_w = op.dilation_h = op.dilation_w = op.multiplier = 1;
    op.act_min = -128, op.act_max = 127;
    p.operators.push_back(op);
    const Range all = Range::whole(static_cast<std::int32_t>(constants)), one = Range::whole(1);
    copy(0, 2, {}, {2, l * constants, bytes}, {1, 2 * s.plane(), bytes}, one, one, all);
    copy(1, 3, {{2, 0}}, {1, 2 * s.plane(), bytes}, {0, 2 * ring, bytes}, one, one, all);
    const Range rows = Range::tiles(0, s.rows, height), columns = Range::whole(s.width),
                channels = Range::whole(s.channels);
    p.loop(s.tiles);
    copy(1, 0, {{1, 1}}, {1, in, dense(s.width, s.channels)}, {0, 0, dense(s.width, s.channels, 2 * s.rows)}, rows,
         columns, channels);
    auto call = std::make_shared<CallPayload>();
    call->op = l;
    call->parameters = &p.operators.back();
    call->views[DSE_IN0] = {0, 0, dense(s.width, s.channels, 2 * s.rows)};
    call->views[DSE_OUT] = {0, ring, dense(s.width, s.channels, 2 * s.rows)};
    call->views[DSE_WEIGHTS] = {0, 2 * ring, dse_view{nullptr, s.channels, s.channels, 1, 0, 0, 0, 0, 0, 0, 1}};
    call->views[DSE_QPARAMS] = {0, 2 * ring + s.weights(), dse_view{nullptr, 12, 12, 12, 0, 0, 0, 0, 0, 0, 12}};
    call->y = rows, call->x = columns, call->c = channels, call->k = channels;
    p.task({&call_kind(), 3, 1, {{0, 0}, {3, 0}, {4, 1}}, call});
    copy(2, 4, {{1, 0}}, {0, ring, dense(s.width, s.channels, 2 * s.rows)}, {1, out, dense(s.width, s.channels)}, rows,
         columns, channels);
    p.end();
    p.task({&wait_kind(), kControl, kNoSlot, {}, std::make_shared<WaitPayload>()});
    p.buffers.push_back({"a" + std::to_string(l), BufferRole::tensor, 1, in, s.plane(), std::max(l - 1, 0), l, l});
    p.buffers.push_back({"w" + std::to_string(l), BufferRole::weights, 0, 2 * ring, constants, l, l, -1});
    p.buffers.push_back({"s" + std::to_string(l), BufferRole::staging, 1, 2 * s.plane(), constants, l, l, -1});
  }
  return p;
}

/// Random weights; parameters that keep values in range.
inline std::vector<std::uint8_t> constants(const Shape& s) {
  std::mt19937 rng(1);
  std::vector<std::uint8_t> image;
  const auto word = [&](std::int32_t v) {
    for (int i = 0; i < 4; ++i) image.push_back(static_cast<std::uint8_t>(static_cast<std::uint32_t>(v) >> (8 * i)));
  };
  for (int l = 0; l < s.layers; ++l) {
    for (std::int64_t i = 0; i < s.weights(); ++i) image.push_back(static_cast<std::uint8_t>(rng()));
    for (int c = 0; c < s.channels; ++c) word(static_cast<std::int32_t>(rng() % 2000) - 1000), word(1 << 30), word(-7);
  }
  return image;
}

}  // namespace dse::synthetic
