#include "tests/plan/tiny_programs.h"

namespace dse::test {

using namespace program;

hw::Device tiny_device() {
  hw::Device d;
  d.name = "tiny";
  d.clock_hz = 100'000'000;
  auto memory = [&](const char* name, std::int64_t size, bool on_chip) {
    hw::Memory m;
    m.name = name;
    m.size = size;
    m.width = {4, 1};
    m.latency = 2;
    m.on_chip = on_chip;
    d.memories.push_back(m);
  };
  memory("l1", 1024, true);
  memory("l2", 4096, true);
  memory("l3", 8192, false);
  hw::Engine cluster;
  cluster.name = "cluster";
  cluster.kind = hw::EngineKind::mac_array;
  cluster.memories = {kL1};
  cluster.macs_per_cycle["int8"] = {8, 1};
  hw::Engine dma;
  dma.name = "dma";
  dma.kind = hw::EngineKind::dma;
  dma.links = {{kL2, kL1}};
  dma.channels = 2;
  dma.dimensions = 3;
  dma.setup = 10;
  hw::Engine io = dma;
  io.name = "io";
  io.links = {{kL3, kL2}};
  io.channels = 1;
  hw::Engine cpu;
  cpu.name = "cpu";
  cpu.memories = {kL2, kL1, kL3};
  cpu.copy_bytes_per_cycle = {1, 1};
  cpu.cycles_per_mac["default"] = {1, 1};
  cpu.cycles_per_element["default"] = {1, 1};
  d.engines = {cluster, dma, io, cpu};
  d.constants = kL3;
  d.io = kL2;
  return d;
}

Program empty_program() {
  Program p;
  p.network = "hand-made";
  p.device = "tiny";
  p.arenas = {{"l1", 1024, 4}, {"l2", 4096, 4}, {"l3", 8192, 4}};
  p.constants_arena = kL3;
  p.queues = {{"cluster", 0, 0}, {"dma", 1, 0}, {"dma.1", 1, 1}, {"io", 2, 0}, {"cpu", 3, 0}};
  return p;
}

View rows(int arena, std::int64_t offset, int width, int ring) {
  View v;
  v.arena = arena;
  v.offset = offset;
  v.shape.stride_h = width;
  v.shape.stride_w = width;
  v.shape.stride_c = 1;
  v.shape.ring_h = ring;
  v.shape.elem = 1;
  return v;
}

TaskTemplate copy_task(int queue, const View& from, const View& to, Range y, int width, int slot,
                       std::vector<Dependency> after) {
  auto payload = std::make_shared<CopyPayload>();
  payload->from = from;
  payload->to = to;
  payload->y = y;
  payload->x = Range::whole(1);
  payload->c = Range::whole(width);
  return {&copy_kind(), queue, slot, std::move(after), std::move(payload)};
}

TaskTemplate wait_task(bool all, std::vector<Dependency> after) {
  auto payload = std::make_shared<WaitPayload>();
  payload->all = all;
  return {&wait_kind(), kControl, kNoSlot, std::move(after), std::move(payload)};
}

void add_buffer(Program& p, const char* name, BufferRole role, int arena, std::int64_t offset, std::int64_t size,
                int first, int last, int tensor) {
  p.buffers.push_back({name, role, arena, offset, size, first, last, tensor});
}

Program tiled_copy_program() {
  enum { load, compute, store };
  constexpr int kWidth = 16, kRows = 8, kTile = 2, kTiles = 4;
  Program p = empty_program();
  p.inputs = {{"in", 0, kL2, 0, kWidth * kRows}};
  p.outputs = {{"out", 1, kL2, 256, kWidth * kRows}};
  add_buffer(p, "t0", BufferRole::tensor, kL2, 0, kWidth * kRows, 0, 0, 0);
  add_buffer(p, "t1", BufferRole::tensor, kL2, 256, kWidth * kRows, 0, 0, 1);
  add_buffer(p, "copy0.in0", BufferRole::tile, kL1, 0, kWidth * kTile * 2, 0, 0);
  add_buffer(p, "copy0.out", BufferRole::tile, kL1, 64, kWidth * kTile * 2, 0, 0);
  const View input = rows(kL2, 0, kWidth), output = rows(kL2, 256, kWidth);
  const View in_tile = rows(kL1, 0, kWidth, 2 * kTile), out_tile = rows(kL1, 64, kWidth, 2 * kTile);
  p.section({"copy0", 0, 0});
  p.task(copy_task(kDma, input, in_tile, {0, kTile, kRows, 0, -1}, kWidth, load));
  p.loop(kTiles);
  p.task(copy_task(kDma, input, in_tile, Range::tiles(0, kTile, kRows, 1), kWidth, load, {{compute, 0}}));
  p.task(copy_task(kCpu, in_tile, out_tile, Range::tiles(0, kTile, kRows), kWidth, compute, {{load, 1}, {store, 1}}));
  p.task(copy_task(kDma1, out_tile, output, Range::tiles(0, kTile, kRows), kWidth, store, {{compute, 0}}));
  p.end();
  p.task(wait_task());
  p.quiescent = {{0, {0, 128, 0}}, {1, {0, 128, 0}}};
  return p;
}

}  // namespace dse::test
