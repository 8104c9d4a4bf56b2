// Lines of a cache: what a file may say of them, that better hardware never makes a call slower, and the misses that
// are counted against a cache that is walked, byte after byte.
#include <gmock/gmock.h>

#include <list>
#include <random>
#include <unordered_map>

#include "models/hw/cost_model.h"
#include "models/hw/device_reader.h"
#include "models/hw/libraries/libraries.h"
#include "tests/hw/counted_calls.h"

namespace dse::hw::cache_lines_test {
namespace {

using program::CallWork;
using testing::HasSubstr;

/// A core with a near and a far memory. Arithmetic and dispatch are free; a line takes `latency` and its bytes by
/// width.
Device device(const std::string& library, std::int64_t cache, std::int64_t line) {
  Device d;
  d.name = "d", d.clock_hz = 1'000'000, d.kernel_library = library;
  d.memories = {{.name = "near", .size = 1 << 20}, {.name = "far", .size = 1 << 20}};
  Engine e;
  e.name = "core", e.memories = {0, 1}, e.cache = cache, e.cache_line = line;
  e.cycles_per_mac["default"] = e.cycles_per_element["default"] = {0, 1};
  for (const auto& count : counts_of(library)) e.cycles_per_count[count] = {0, 1};
  d.engines = {e};
  return d;
}

/// Ticks of a call on the core: operands of arena 0 are near, of arena 1 far.
Tick ticks(const Device& d, const CallWork& work) {
  const DeviceTiming timing(std::make_shared<const Device>(d));
  program::Program p;
  p.arenas = {{"near", 1 << 20, 4}, {"far", 1 << 20, 4}};
  p.queues = {{"core", 0, 0}};
  const auto cost = DeviceCostModel(timing, p, {{0, 0}, {1, 0}}).call(0, work);
  return cost.fixed + cost.busy;
}

void add(CallWork& work, const CallWork::Operand& o) { work.operands[work.operand_count++] = o; }

TEST(CacheLines, WhatAFileMaySay) {
  const auto read = [](const std::string& fields) {
    Diagnostics d;
    const auto device = read_device_text(
        "name: d\nclock: 1 MHz\nkernels: {library: none}\nmemories: {ram: {size: 1 MiB, width: 4 B/cycle}}\n"
        "engines:\n  core: {kind: cpu, memory: ram, cycles_per_mac: {default: 1}, cycles_per_element: {default: 1}" +
            fields + "}\nconstants: ram\nio: ram\n",
        "d.yaml", {}, d);
    return device ? std::to_string(device->engines[0].cache_line) : d.text();
  };
  EXPECT_EQ(read(""), "0");
  EXPECT_EQ(read(", cache: 16 KiB"), "0");
  EXPECT_EQ(read(", cache: 16 KiB, cache_line: 32 B"), "32");
  EXPECT_EQ(read(", cache_line: 0 B"), "0");
  EXPECT_THAT(read(", cache_line: 32 B"), HasSubstr("cache_line without cache"));
  EXPECT_THAT(read(", cache: 0 B, cache_line: 32 B"), HasSubstr("cache_line without cache"));
  EXPECT_THAT(read(", cache: 16 B, cache_line: 32 B"), HasSubstr("cache_line is more than cache"));
}

/// A fully connected layer reads its weights once, so that lines are told by ticks of a memory that gives one each.
TEST(CacheLines, RunsBeginOnLinesButShareThoseThatTheyFit) {
  const auto op = test::square_conv(1, 64, 1, 8, 1, 1);
  const auto lines = [&](std::int64_t bytes, bool dense, std::int64_t run, std::int64_t span) {
    auto fully = op;
    fully.kind = DSE_FULLY_CONNECTED;
    auto work = program::whole_call(fully);
    add(work, {DSE_WEIGHTS, 1, bytes, false, dense, run, span});
    auto d = device("tflm-reference", 4096, 32);
    d.memories[1].width = {32, 1};
    return ticks(d, work);
  };
  EXPECT_EQ(lines(512, true, 0, 0), 16);
  EXPECT_EQ(lines(513, true, 0, 0), 17);
  EXPECT_EQ(lines(8 * 48, false, 48, 8 * 100), 8 * 2);
  EXPECT_EQ(lines(8 * 4, false, 4, 7 * 200 + 4), 8);  // far apart: a line each
  EXPECT_EQ(lines(8 * 4, false, 4, 7 * 8 + 4), 2);    // four in a line
}

CallWork random_work(std::mt19937& random, dse_op& op) {
  const auto pick = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
  const int kernel = pick(1, 3), out = pick(1, 6);
  op = test::square_conv(out + kernel - 1, pick(1, 40), out, pick(1, 40), kernel, 1);
  op.kind = std::array{DSE_CONV_2D, DSE_DEPTHWISE_CONV_2D, DSE_FULLY_CONNECTED, DSE_AVERAGE_POOL_2D}[pick(0, 3)];
  op.multiplier = 1;
  if (op.kind == DSE_FULLY_CONNECTED) op.in_h = op.in_w = op.out_h = op.out_w = op.kernel_h = op.kernel_w = 1;
  if (op.kind == DSE_DEPTHWISE_CONV_2D || op.kind == DSE_AVERAGE_POOL_2D) op.out_c = op.in_c;
  auto work = program::whole_call(op);
  for (const auto role : {DSE_IN0, DSE_WEIGHTS, DSE_QPARAMS, DSE_OUT}) {
    const auto box = dse_operand_box(&op, &work.tile, role);
    const std::int64_t bytes = program::length(box.h) * program::length(box.w) * program::length(box.c);
    if (!box.touched || bytes == 0) continue;
    const bool dense = pick(0, 2) > 0;
    const std::int64_t run = dense ? 0 : program::length(box.c);
    add(work, {role, pick(0, 1), bytes, role == DSE_OUT, dense, run, dense ? 0 : 2 * bytes});
  }
  return work;
}

TEST(CacheLines, LargerCachesLessLatencyAndMoreWidthMakeNoCallSlower) {
  std::mt19937 random(5);
  const auto pick = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
  int faster[3] = {};
  for (int round = 0; round < 3000; ++round) {
    dse_op op;
    const auto work = random_work(random, op);
    const int line = std::array{0, 8, 12, 32}[pick(0, 3)];
    auto d = device(std::array{"cmsis-nn", "cmsis-nn-mve", "tflm-reference"}[pick(0, 2)], 0, line);
    d.engines[0].cache = pick(1, 40) * pick(32, 100);
    d.memories[1].latency = pick(1, 40), d.memories[1].width = {pick(1, 16), pick(1, 5)};
    if (pick(0, 1)) d.memories[1].clock_hz = 300'000;
    const auto base = ticks(d, work);
    for (int which = 0; which < 3; ++which) {
      auto better = d;
      if (which == 0) better.engines[0].cache += pick(1, 4000);
      if (which == 1) better.memories[1].latency -= pick(1, static_cast<int>(better.memories[1].latency));
      if (which == 2) better.memories[1].width.num += pick(1, 16);
      const auto now = ticks(better, work);
      ASSERT_LE(now, base) << "round " << round << ", by " << which;
      faster[which] += now < base && line > 0;
    }
  }
  for (const int n : faster) EXPECT_GT(n, 100);
}

/// A fully associative cache that lets go of what was used longest ago.
class Walked {
 public:
  Walked(std::int64_t lines, std::int64_t line) : lines_(static_cast<std::size_t>(lines)), line_(line) {}
  void read(std::int64_t address) {
    const auto line = address / line_;
    const auto it = at_.find(line);
    if (it == at_.end()) {
      ++misses;
      if (at_.size() == lines_) at_.erase(used_.back()), used_.pop_back();
    } else {
      used_.erase(it->second);
    }
    used_.push_front(line), at_[line] = used_.begin();
  }
  std::int64_t misses = 0;

 private:
  std::size_t lines_;
  std::int64_t line_;
  std::list<std::int64_t> used_;
  std::unordered_map<std::int64_t, std::list<std::int64_t>::iterator> at_;
};

/// A fully connected layer whose kernel sums `together` outputs in one pass over the input.
struct Layer {
  const char* library;
  int together;
  std::int64_t inputs, outputs;

  /// The order of the loops, the input at 0 and the weights on the next line.
  std::int64_t walked(std::int64_t lines, std::int64_t line) const {
    Walked cache(lines, line);
    const auto weights = round_up(inputs, line);
    for (std::int64_t first = 0; first < outputs; first += together)
      for (std::int64_t i = 0; i < inputs; ++i) {
        cache.read(i);
        for (auto c = first; c < std::min(outputs, first + together); ++c) cache.read(weights + c * inputs + i);
      }
    return cache.misses;
  }
  /// A tick for each line that is waited for.
  std::int64_t counted(std::int64_t lines, std::int64_t line) const {
    auto op = test::square_conv(1, static_cast<int>(inputs), 1, static_cast<int>(outputs), 1, 1);
    op.kind = DSE_FULLY_CONNECTED;
    auto work = program::whole_call(op);
    add(work, {DSE_IN0, 1, inputs, false, true});
    add(work, {DSE_WEIGHTS, 1, inputs * outputs, false, true});
    auto d = device(library, lines * line, line);
    d.memories[1].width = {line, 1};
    return ticks(d, work);
  }
};

TEST(CacheLines, MissesAreThoseOfACacheThatIsWalked) {
  int between = 0;
  for (const auto& [library, together] : {std::pair{"tflm-reference", 1}, {"cmsis-nn", 2}, {"cmsis-nn-mve", 4}})
    for (const std::int64_t line : {8, 16, 32})
      for (const std::int64_t inputs : {64, 100, 256})
        for (const std::int64_t outputs : {3, 8, 17}) {
          const Layer layer{library, together, inputs, outputs};
          const auto about = std::string(library) + ", " + std::to_string(inputs) + " to " + std::to_string(outputs) +
                             ", lines of " + std::to_string(line);
          const auto input = ceil_div(inputs, line), set = (together + 1) * (input + 1);
          const auto weights = ceil_div(inputs * outputs, line);
          // All of it fits: each line once.
          for (const auto lines : {set, 2 * set}) {
            EXPECT_EQ(layer.walked(lines, line), input + weights) << about;
            EXPECT_EQ(layer.counted(lines, line), layer.walked(lines, line)) << about;
          }
          // Not even the input does, but a line of each stream: the input for each pass. Rows of weights that end
          // within a line share it with the row of the next pass, which comes too late where rows come together.
          if (inputs % line == 0 || together == 1)
            for (const auto lines : {std::int64_t{together} + 1, input - 1}) {
              if (lines < together + 1 || lines >= input) continue;
              EXPECT_EQ(layer.walked(lines, line), ceil_div(outputs, together) * input + weights) << about;
              EXPECT_EQ(layer.counted(lines, line), layer.walked(lines, line)) << about;
            }
          // Between: rows of weights push the input out, which readings of CMSIS-NN leave out.
          for (auto lines = input; lines < set; ++lines) {
            EXPECT_LE(layer.counted(lines, line), ceil_div(outputs, together) * input + weights) << about;
            EXPECT_GE(layer.counted(lines, line), input + weights) << about;
            between += layer.counted(lines, line) != layer.walked(lines, line);
          }
          // Reference kernels say both; where rows are whole lines nothing lies between.
          if (together == 1 && inputs % line == 0)
            for (std::int64_t lines = 2; lines <= set; ++lines)
              EXPECT_EQ(layer.counted(lines, line), layer.walked(lines, line)) << about << ", " << lines;
        }
  EXPECT_GT(between, 0) << "then the documentation has a limit too many";
}

}  // namespace
}  // namespace dse::hw::cache_lines_test
