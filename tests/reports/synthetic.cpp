#include "tests/reports/synthetic.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace dse::reports::testing {
namespace {

struct Random {  // a linear congruential generator (Numerical Recipes' constants): the same on every machine
  std::uint64_t state;
  std::int64_t operator()(std::int64_t below) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(below));
  }
};

constexpr std::array kLayers = {"conv1", "conv2", "conv3", "add1", "conv4", "conv5", "conv6",  "add2",
                                "conv7", "conv8", "conv9", "add3", "pool",  "fc",    "softmax"};
constexpr std::array kSchemes = {"interleaved", "planar", "pixel-block"};
enum { kCluster, kClusterDma, kIoDma };

std::string kind_of(const std::string& layer) {
  if (layer.starts_with("conv")) return "conv2d";
  if (layer.starts_with("add")) return "add";
  if (layer == "pool") return "average_pool";
  return layer == "fc" ? "fully_connected" : "softmax";
}

std::string hash_of(std::uint64_t n) {
  char text[16];
  std::snprintf(text, sizeof text, "%06x", static_cast<unsigned>((n * 2654435761ULL >> 8) & 0xffffff));
  return text;
}

struct Builder {
  explore::Point& p;
  Random& random;
  std::int64_t tile_ticks, tiles, now = 0, dma_free = 0, io_free = 0, l1 = 0, l2 = 0;

  void record(int section, int tile, int which, int queue, std::int64_t issued, std::int64_t ready, std::int64_t start,
              std::int64_t end) {
    p.run.trace.push_back({section, tile, static_cast<std::int32_t>(section * 4 + which),
                           static_cast<std::int16_t>(queue), issued, ready, start, end,
                           static_cast<std::int32_t>(section)});
    auto& use = p.run.engines[static_cast<std::size_t>(queue)];
    ++use.tasks;
    use.busy += end - start;
    use.stalled += start - std::max(ready, issued);
  }

  /// Double-buffered tiles: input (and sometimes weights) by DMA, compute, output by DMA; what is exposed is charged to
  /// its cause.
  void layer(int s) {
    sim::LayerAccount a;
    a.section = s;
    const std::int64_t begin = now;
    const std::int64_t n = std::max<std::int64_t>(1, tiles / 2 + s * 7919 % tiles);
    for (std::int64_t t = 0; t < n; ++t) {
      const auto charge = [&](sim::Cause c, std::int64_t ticks) { a.ticks[static_cast<std::size_t>(c)] += ticks; };
      const std::int64_t issued = std::max(begin, now - tile_ticks / 3);
      const bool weights = t % 8 == 0;
      const std::int64_t in_start = std::max(dma_free, issued + 20),
                         in_end = in_start + tile_ticks / 3 + random(tile_ticks / 2 + 1);
      record(s, static_cast<int>(t), 0, kClusterDma, issued, issued + 10, in_start, in_end);
      dma_free = in_end;
      std::int64_t ready = in_end, weights_end = 0;
      if (weights) {
        const std::int64_t w_start = std::max(io_free, issued + 40);
        weights_end = w_start + tile_ticks / 2 + random(tile_ticks + 1);
        record(s, static_cast<int>(t), 1, kIoDma, issued + 20, issued + 25, w_start, weights_end);
        io_free = weights_end;
        ready = std::max(ready, weights_end);
      }
      const std::int64_t issue = 20 + random(10), wait = random(4) == 0 ? random(60) : 0;
      charge(sim::Cause::issue, issue);
      charge(sim::Cause::wait, wait);
      now += issue + wait;
      if (ready > now) {
        const std::int64_t gap = ready - now;
        charge(weights && weights_end > in_end ? sim::Cause::dma_weights : sim::Cause::dma_input, gap);
        now = ready;
      }
      const std::int64_t dispatch = 120, slowed = random(5) == 0 ? random(tile_ticks / 8 + 1) : 0;
      const std::int64_t work = tile_ticks * 3 / 4 + random(tile_ticks / 2 + 1);
      charge(sim::Cause::dispatch, dispatch);
      charge(sim::Cause::memory, slowed);
      charge(sim::Cause::compute, work);
      record(s, static_cast<int>(t), 2, kCluster, issued + 60, ready, now, now + dispatch + slowed + work);
      now += dispatch + slowed + work;
      a.hidden_dma += std::min(in_end - in_start, work);
      const std::int64_t out_start = std::max(dma_free, now + 15), out_end = out_start + tile_ticks / 6 + 10;
      record(s, static_cast<int>(t), 3, kClusterDma, now, now + 5, out_start, out_end);
      dma_free = out_end;
    }
    if (dma_free > now) {  // the layer quiesces: its last output is exposed
      a.ticks[static_cast<std::size_t>(sim::Cause::dma_output)] += dma_free - now;
      now = dma_free;
    }
    p.run.layers.push_back(a);
    p.run.section_end.push_back(now);
    buffers(s, begin);
  }

  void buffers(int s, std::int64_t begin) {
    const std::string name = kLayers[static_cast<std::size_t>(s)];
    const std::int64_t unit = p.memory_bytes * 24 / 100 / 16 * 16, tensor = p.memory_bytes / 5 / 16 * 16;
    const auto add = [&](const std::string& what, const char* role, const char* memory, std::int64_t& at,
                         std::int64_t size) {
      p.buffers.push_back({what, role, memory, at, size, begin, now, 0, 0, 0, {}});
      at += size;
    };
    std::int64_t in_l1 = 0, in_l2 = s % 2 == 0 ? 0 : tensor, in_l3 = 4096 * s;
    add(name + ".input[0]", "tile", "l1", in_l1, unit / 2);
    add(name + ".input[1]", "tile", "l1", in_l1, unit / 2);
    if (s % 4 != 3) add(name + ".weights", "weights", "l1", in_l1, unit * 3 / 4);
    if (s % 3 == 1) add(name + ".partial_sums", "partial sums", "l1", in_l1, unit / 2);
    add(name + ".im2row", "scratch", "l1", in_l1, unit / 4);
    add(name + ".output", "tensor", "l2", in_l2, tensor);
    add(name + ".constants", "constants", "l3", in_l3, 4096);
    l1 = std::max(l1, in_l1);
    l2 = std::max(l2, in_l2);
  }
};

explore::Point make_point(Random& random, std::int64_t memory, std::int64_t tile_ticks, int tiles) {
  explore::Point p;
  p.memory_bytes = memory;
  p.run.engines = {{kCluster, 0, 0, 0}, {kClusterDma, 0, 0, 0}, {kIoDma, 0, 0, 0}};
  Builder b{p, random, tile_ticks, tiles};
  for (std::size_t s = 0; s < kLayers.size(); ++s) {
    p.layers.emplace_back(kLayers[s]);
    p.layer_kinds.push_back(kind_of(kLayers[s]));
    b.layer(static_cast<int>(s));
    const auto scheme = kSchemes[static_cast<std::size_t>(random(3))];
    p.words.push_back(p.layers.back() + ": " + p.layer_kinds.back() + ", " + scheme + ", tiles of " +
                      std::to_string(1 + random(8)) + " rows, output batches " + std::to_string(1 << random(4)) +
                      ", weights " + (random(2) ? "streamed" : "resident"));
  }
  p.run.ticks = p.latency_ticks = b.now;
  p.latency_us = static_cast<double>(b.now) / 175;
  p.run.macs = 12'501'632;
  p.tasks = p.run.tasks = static_cast<std::int64_t>(p.run.trace.size());
  p.run.memories = {
      {0, b.now * 9, b.now * 3, b.l1}, {1, b.now * 2, b.now, p.memory_bytes - b.l1}, {2, 96'000, 0, 61'440}};
  p.load_bytes = p.memory_bytes * 93 / 100;
  p.energy_uj = static_cast<double>(b.now) / 5000;
  p.bound_ticks = b.now * (80 + random(15)) / 100;
  p.program_bytes = 2048 + random(3000);
  p.startup_bytes = random(2) * 24'576;
  p.verified = true;
  p.id = hash_of(random.state);
  p.plan_file = "plans/" + p.id + ".plan.yaml";
  p.metrics = {{"dma_bytes", static_cast<double>(b.now) * 1.5}, {"flash_bytes", 98'304.0}};
  return p;
}

explore::Front make_front(Random& random, const SyntheticOptions& options, int index) {
  explore::Front f;
  f.network = index % 2 == 0 ? "resnet8" : "ds-cnn";
  f.device = "gap8-class/l1=" + std::to_string(32 << index / 2 % 6) + "KiB";
  f.network_hash = "n" + hash_of(static_cast<std::uint64_t>(index) + 1);
  f.device_hash = "d" + hash_of(static_cast<std::uint64_t>(index) + 77);
  f.energy_source = "measured";
  f.kernel_library = "pulp-nn";
  f.accuracy = index % 2 == 0 ? "not validated on this network" : "\u00b19 %, worst of 5 held-out rows";
  f.tick_hz = 175'000'000;
  f.memories = {{"l1", 64 * 1024, 28 * 1024, true}, {"l2", 512 * 1024, 0, true}, {"l3", 8 << 20, 0, false}};
  f.queues = {"cluster", "cluster_dma", "io_dma"};
  f.complete = index % 2 == 0;
  f.simulated = 14'903;
  f.proven_dominated = 16'499;
  f.infeasible = 812;
  std::int64_t memory = 18 * 1024;
  for (int i = 0; i < options.points; ++i) {
    const std::int64_t tile_ticks = 300 + 60'000 / (20 + 6 * i);
    auto p = make_point(random, memory, tile_ticks, options.tiles_per_layer);
    if (f.points.empty() || p.latency_ticks < f.points.back().latency_ticks) {
      p.origin = "front";
      f.points.push_back(std::move(p));
    }
    memory += 256 * (1 + random(12));
  }
  f.points.front().marks.emplace_back("smallest");
  f.points[f.points.size() / 3].marks.emplace_back("knee");
  f.points.back().marks.emplace_back("fastest");
  const auto reference = [&](const char* origin, std::int64_t at, std::int64_t ticks) {
    f.marked.push_back(make_point(random, at, ticks, options.tiles_per_layer));
    f.marked.back().origin = origin;
  };
  reference("rule-based", memory * 11 / 10, 900);
  reference("rule-based (resident weights)", memory * 13 / 10, 800);
  reference("user", memory * 7 / 10, 1500);
  reference("TFLM today", memory * 95 / 100, 1800);
  if (index % 2 == 1) {
    f.marked[2].id = f.points[f.points.size() / 2].id;         // a plan may be found and given as well
    f.points.back().origin = "rule-based (resident weights)";  // and a rule may be what nothing beats
    f.marked[1] = f.points.back();
    f.marked[1].marks.clear();
    f.notes = {"28 of 31 points of the front are shown (front_points)"};
  }
  if (index % 2 == 0) {  // what a user has today need not be timed
    f.marked.back().latency_ticks = 0;
    f.marked.back().latency_us = 0;
    f.marked.back().run = {};
  }
  for (const auto& p : f.points) f.bound.push_back({p.memory_bytes, p.bound_ticks * 9 / 10});
  for (std::size_t i = 1; i < f.bound.size(); ++i)
    f.bound[i].latency_ticks = std::min(f.bound[i].latency_ticks, f.bound[i - 1].latency_ticks);
  for (int i = 0; i < options.dominated; ++i) {
    const auto& base = f.points[static_cast<std::size_t>(random(static_cast<std::int64_t>(f.points.size())))];
    const std::int64_t spread = random(100) * random(100);
    f.dominated.push_back(
        {base.memory_bytes * (1000 + random(700)) / 1000, base.latency_ticks + base.latency_ticks * spread / 10'000});
  }
  return f;
}

/// Compares the fronts of each network that has several: every other point is left.
void compare(explore::Sweep& sweep) {
  for (const char* network : {"resnet8", "ds-cnn"}) {
    explore::Across across{network, "gap8-class", {"memory", "latency", "area"}, {}, {}};
    for (std::size_t f = 0; f < sweep.fronts.size(); ++f) {
      auto& front = sweep.fronts[f];
      if (front.network != network) continue;
      front.base = across.base, front.area_mm2 = 0.5 + 0.25 * static_cast<double>(across.fronts.size());
      across.fronts.push_back(f);
      for (std::size_t p = 0; p < front.points.size(); p += 2) across.points.push_back({f, p});
    }
    if (across.fronts.size() > 1) sweep.across.push_back(std::move(across));
  }
}

/// Fronts of what is compared become those of variants: every further one has fewer weights and is worse.
void make_variants(explore::Sweep& sweep) {
  for (auto& across : sweep.across) {
    across.variants = true, across.objectives = {"memory", "latency", "weights", "accuracy"};
    double lost = 0;
    for (const auto f : across.fronts) {
      auto& front = sweep.fronts[f];
      const int n = static_cast<int>(lost);
      front.facts = {across.network, {{"fc0.block", std::to_string(1 << n)}}, 0.98 - 0.01 * lost, "500 images", {}};
      if (n > 0) front.facts.equal_dense = 0.97 - 0.05 * lost;
      front.weight_bytes = 65536 >> n;
      front.network = across.network + "/fc0.block=" + std::to_string(1 << n), front.area_mm2.reset();
      lost += 1;
    }
  }
}

}  // namespace

explore::Sweep synthetic_sweep(const SyntheticOptions& options) {
  explore::Sweep sweep;
  Random random{20240607};
  for (int i = 0; i < options.fronts; ++i) sweep.fronts.push_back(make_front(random, options, i));
  compare(sweep);
  if (options.variants) make_variants(sweep);
  if (options.infeasible) {
    explore::Front f;
    f.network = "mobilenet-v1";
    f.device = "gap8-class/l1=32KiB";
    f.tick_hz = 175'000'000;
    f.memories = {{"l1", 32 * 1024, 28 * 1024, true}};
    f.infeasible = 4'096;
    f.infeasible_reason =
        "l1 is 30.0 KiB short: layer conv3 needs 66.0 KiB (3 rows of 20 x 512 = 30.0 KiB, weights 36.0 KiB) of 36.0 "
        "KiB free";
    if (options.marked_alone) {
      f.network = "resnet8";
      f.queues = {"cluster", "cluster_dma", "io_dma"};
      f.memories = {{"l1", 32 * 1024, 28 * 1024, true}, {"l2", 512 * 1024, 0, true}, {"l3", 8 << 20, 0, false}};
      f.device = "another-board";
      f.marked.push_back(make_point(random, 96 * 1024, 900, options.tiles_per_layer));
      f.marked.back().origin = "user";
    }
    sweep.fronts.insert(options.marked_alone ? sweep.fronts.begin() : sweep.fronts.end(), f);
  }
  sweep.provenance = {"0.1.0",
                      "dse run sweep.yaml -o out",
                      "2024-06-07T12:00:00Z",
                      {{"models/resnet8.tflite", "n4f2a1c"}, {"gap8-class.yaml", "d90b7e3"}},
                      83.4};
  return sweep;
}

}  // namespace dse::reports::testing
