// Two front points, one timed and one untimed reference, one infeasible front: small enough to write its files out by
// hand.
#pragma once
#include "explore/measure/results.h"

namespace dse::reports::testing {

inline explore::Sweep small_sweep() {
  const auto point = [](const char* id, const char* origin, std::vector<std::string> marks, std::int64_t memory,
                        std::int64_t ticks) {
    explore::Point p;
    p.id = id;
    p.origin = origin;
    p.marks = std::move(marks);
    p.memory_bytes = memory;
    p.load_bytes = memory - 256;
    p.latency_ticks = ticks;
    p.latency_us = static_cast<double>(ticks) / 100;
    p.energy_uj = 12.5;
    p.bound_ticks = ticks * 9 / 10;
    p.program_bytes = 2048;
    p.tasks = 42;
    p.verified = ticks > 0;
    p.plan_file = std::string("plans/") + id + ".plan.yaml";
    return p;
  };
  explore::Front f;
  f.network = "net, \"tiny\"";
  f.device = "dev/l1=64KiB";
  f.network_hash = "n1";
  f.device_hash = "d1";
  f.energy_source = "measured";
  f.kernel_library = "pulp-nn";
  f.accuracy = "not validated on this network";
  f.tick_hz = 100'000'000;
  f.memories = {{"l1", 65536, 28672, true}, {"l3", 8388608, 0, false}};
  f.queues = {"cluster", "cluster_dma"};
  // Out of order on purpose: files sort.
  f.points = {point("bbb", "front", {"knee", "fastest"}, 32768, 500'000),
              point("aaa", "front", {"smallest"}, 20480, 1'000'000)};
  f.marked = {point("rrr", "rule-based", {}, 40960, 625'000), point("ttt", "TFLM today", {}, 36864, 0)};
  f.dominated = {{33000, 600'000}};
  f.bound = {{20480, 800'000}, {32768, 400'000}};
  f.simulated = 14'903;
  f.proven_dominated = 16'499;
  f.complete = true;
  f.notes = {"TFLM today: not timed"};

  auto& p = f.points[1];
  p.layers = {"conv1", "fc"};
  p.layer_kinds = {"conv2d", "fully_connected"};
  p.words = {"conv1: planar", "fc: interleaved"};
  p.metrics = {{"flash_bytes", 98304}};
  p.startup_bytes = 64;
  p.assignment = {{"conv1.scheme", "planar"}};
  p.run.energy_fj = 12'500'000'000;
  p.run.macs = 1000;
  p.run.layers = {{0, {500'000, 100'000, 0, 50'000, 20'000, 10'000, 5'000, 4'000, 1'000}, 123},
                  {1, {300'000, 10'000, 0, 0, 0, 0, 0, 0, 0}, 0}};
  p.run.section_end = {690'000, 1'000'000};
  p.run.engines = {{0, 20, 900'000, 0}, {1, 22, 400'000, 1'000}};
  p.run.memories = {{0, 1'000, 500, 20'480}};
  p.buffers = {{"conv1.weights", "weights", "l1", 0, 1024, 0, 690'000, 0, 0, 0, ""}};
  p.run.trace = {{0, 0, 0, 0, 0, 10, 20, 30}};

  explore::Front none;
  none.network = "big";
  none.device = "dev/l1=32KiB";
  none.tick_hz = 100'000'000;
  none.infeasible_reason = "l1 is 30.0 KiB short: layer conv3 needs 66.0 KiB";
  explore::Sweep sweep;
  sweep.fronts = {f, none};
  sweep.provenance = {"0.1.0", "dse run sweep.yaml -o out", "2024-06-07", {{"net.tflite", "n1"}}, 1.5};
  return sweep;
}

}  // namespace dse::reports::testing
