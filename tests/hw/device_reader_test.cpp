#include "models/hw/device_reader.h"

#include <gmock/gmock.h>

#include <random>
#include <sstream>

namespace dse::hw::device_reader_test {
namespace {

using testing::HasSubstr;

const char* const small_device =
    "name: small\n"                                                                                           // 1
    "clock: 100 MHz\n"                                                                                        // 2
    "kernels: {library: none}\n"                                                                              // 3
    "memories:\n"                                                                                             // 4
    "  l1: {size: 64 KiB, width: 8 B/cycle, latency: 25 ns, on_chip: true, reserved: 1 KiB, alignment: 8}\n"  // 5
    "  l2: {size: 1 MiB, width: 1/3 B/cycle, latency: 7 cycles, clock: 50 MHz, energy: 0.5 pJ/B}\n"           // 6
    "engines:\n"                                                                                              // 7
    "  array: {kind: mac-array, memory: l1, macs_per_cycle: {int8: 4}, efficiency: {conv: 0.5, default: 0.25}, "
    "cycles_per_element: {default: 1}}\n"  // 8
    "  mover: {kind: dma, between: [l2, l1], dimensions: 2, setup: 30 cycles, per_row: 15 ns, clock: 200 MHz, "
    "outstanding: 8}\n"              // 9
    "control: {issue: 20 cycles}\n"  // 10
    "constants: l2\n"                // 11
    "io: l2\n";                      // 12

struct Outcome {
  DevicePtr device;
  std::string messages;
};

Outcome read(const std::string& text, const yaml::Overrides& overrides = {}) {
  Diagnostics d;
  Outcome o;
  o.device = read_device_text(text, "d.yaml", overrides, d);
  o.messages = d.text();
  EXPECT_EQ(o.device == nullptr, d.has_errors());
  return o;
}

/// The small device with one text replaced.
Outcome with(const std::string& from, const std::string& to) {
  std::string text = small_device;
  const auto at = text.find(from);
  if (at == std::string::npos)
    ADD_FAILURE() << "no " << from;
  else
    text.replace(at, from.size(), to);
  return read(text);
}

TEST(DeviceReader, InputsComeFromAMemoryOffTheChipThatAnEngineCopiesFrom) {
  const auto small = read(small_device), far = with("io: l2", "io: l1\ninput_from: l2");
  ASSERT_TRUE(small.device && far.device) << far.messages;
  EXPECT_EQ(small.device->input_from, -1);
  EXPECT_EQ(far.device->input_from, 1);
  const auto inside = with("io: l2", "io: l1");
  ASSERT_TRUE(inside.device);
  EXPECT_NE(far.device->hash(), inside.device->hash());

  EXPECT_THAT(with("io: l2", "io: l2\ninput_from: l2").messages,
              HasSubstr("d.yaml:13:13: error: input_from: inputs lie in l2 already, which is io"));
  EXPECT_THAT(
      with("io: l2", "io: l2\ninput_from: l1").messages,
      HasSubstr("d.yaml:13:13: error: input_from: l1 is on_chip, so what lies there counts as memory of the plan"));
  EXPECT_THAT(with("io: l2", "io: l2\ninput_from: l3").messages,
              HasSubstr("d.yaml:13:13: error: input_from: no memory 'l3'; there is l1 or l2"));
  const auto eye = std::string(small_device);
  const auto at = eye.find("engines:\n");
  const auto apart =
      read(eye.substr(0, at) + "  eye: {size: 1 MiB, width: 1 B/cycle}\n" + eye.substr(at) + "input_from: eye\n");
  EXPECT_THAT(apart.messages,
              HasSubstr("d.yaml:14:13: error: input_from: no engine copies from eye to l2, which is io"));
  EXPECT_THAT(apart.messages, HasSubstr("hint: add a dma with links: [[eye, l2]]"));
}

TEST(DeviceReader, ReadsTheSmallDevice) {
  const auto [d, messages] = read(small_device);
  ASSERT_TRUE(d) << messages;
  EXPECT_EQ(messages, "");
  EXPECT_EQ(d->name, "small");
  EXPECT_EQ(d->clock_hz, 100000000);
  EXPECT_EQ(d->kernel_library, "none");
  ASSERT_EQ(d->memories.size(), 2u);
  const auto &l1 = d->memories[0], &l2 = d->memories[1];
  EXPECT_EQ(l1.size, 65536);
  EXPECT_EQ(l1.free(), 65536 - 1024);
  EXPECT_EQ(l1.latency, 3) << "25 ns at 100 MHz, rounded up";
  EXPECT_EQ(l1.alignment, 8);
  EXPECT_TRUE(l1.on_chip);
  EXPECT_EQ(l2.width, (Ratio{1, 3}));
  EXPECT_EQ(l2.clock_hz, 50000000);
  EXPECT_EQ(l2.latency, 7);
  EXPECT_FALSE(l2.on_chip);
  EXPECT_DOUBLE_EQ(l2.energy_pj_per_byte, 0.5);
  const auto &array = d->engines[0], &mover = d->engines[1];
  EXPECT_EQ(array.kind, EngineKind::mac_array);
  EXPECT_EQ(array.memories, std::vector<int>{0});
  EXPECT_EQ(array.macs_per_cycle.at("int8"), (Ratio{4, 1}));
  EXPECT_EQ(array.efficiency.at("conv"), (Ratio{1, 2}));
  EXPECT_EQ(array.efficiency.at("depthwise"), (Ratio{1, 4})) << "default is spread over the others";
  EXPECT_EQ(array.efficiency.count("default"), 0u);
  EXPECT_EQ(mover.kind, EngineKind::dma);
  EXPECT_EQ(mover.links, (std::vector<std::pair<int, int>>{{1, 0}}));
  EXPECT_EQ(mover.per_row, 3) << "15 ns at its own 200 MHz";
  EXPECT_EQ(mover.outstanding, 8);
  EXPECT_EQ(mover.queue, 4) << "default";
  EXPECT_EQ(d->control.issue, 20);
  EXPECT_EQ(d->control.engine, -1);
  EXPECT_EQ(d->constants, 1);
  EXPECT_EQ(d->io, 1);
  EXPECT_EQ(d->tick_hz(), 200000000);
}

struct Mistake {
  const char *from, *to, *error;
};

class DeviceMistake : public testing::TestWithParam<Mistake> {};

TEST_P(DeviceMistake, IsReportedAtTheFieldThatIsWrong) {
  const auto o = with(GetParam().from, GetParam().to);
  EXPECT_FALSE(o.device);
  EXPECT_THAT(o.messages, testing::StartsWith(GetParam().error));
  EXPECT_EQ(o.messages.find(": error: "), o.messages.rfind(": error: ")) << "one mistake, one error:\n" << o.messages;
}

INSTANTIATE_TEST_SUITE_P(
    DeviceReader, DeviceMistake,
    testing::Values(
        Mistake{"between: [l2, l1]", "between: [l2, l9]",
                "d.yaml:9:36: error: engines.mover.between: no memory 'l9'; there is l1 or l2"},
        Mistake{"between: [l2, l1]", "between: [l2, l2]",
                "d.yaml:9:31: error: engines.mover.between: both ends are l2"},
        Mistake{"between: [l2, l1]", "between: [l2]",
                "d.yaml:9:31: error: engines.mover.between: has 1 entry, but needs 2"},
        Mistake{"between: [l2, l1]", "links: [[l2, l1], [l3, l1]]",
                "d.yaml:9:41: error: engines.mover.links: no memory 'l3'"},
        Mistake{"between: [l2, l1]", "between: [l2, l1], links: [[l2, l1]]",
                "d.yaml:9:48: error: engines.mover: has both between and links"},
        Mistake{"between: [l2, l1], ", "", "d.yaml:9:10: error: engines.mover: connects no memories"},
        Mistake{"memory: l1", "memory: l8", "d.yaml:8:36: error: engines.array.memory: no memory 'l8'"},
        Mistake{"memory: l1", "memories: [l1, l1]", "d.yaml:8:43: error: engines.array.memories: 'l1' is named twice"},
        Mistake{"memory: l1, ", "", "d.yaml:8:10: error: engines.array: has no memory for its operands"},
        Mistake{"{int8: 4}", "{int16: 4}", "d.yaml:8:56: error: engines.array.macs_per_cycle: has no int8"},
        Mistake{"conv: 0.5", "conv: 1.5",
                "d.yaml:8:86: error: engines.array.efficiency.conv: '1.5' is out of range: 0.001 to 1"},
        Mistake{"constants: l2", "constants: flash",
                "d.yaml:11:12: error: constants: no memory 'flash'; there is l1 or l2"},
        Mistake{"constants: l2\n", "", "d.yaml:1:1: error: needs the field constants"},
        Mistake{"outstanding: 8", "channels: 16",
                "d.yaml:8:3: error: engines: have 17 queues, but there can be at most 16"},
        Mistake{"io: l2", "io: l3", "d.yaml:12:5: error: io: no memory 'l3'"},
        Mistake{"reserved: 1 KiB", "reserved: 1 MiB", "d.yaml:5:81: error: memories.l1: reserves 1 MiB of 64 KiB"},
        Mistake{"reserved: 1 KiB", "page_miss: 3 cycles",
                "d.yaml:5:82: error: memories.l1: page_miss without page, which says how much is open at a time"},
        Mistake{"reserved: 1 KiB", "page: 64 B, page_miss: 300 cycles",
                "d.yaml:5:3: error: memories.l1.page_miss: is more than the latency, which opens the first page of a "
                "transfer"},
        Mistake{"reserved: 1 KiB", "bank_word: 4 B",
                "d.yaml:5:82: error: memories.l1: bank_word without banks, whose words it says"},
        Mistake{"reserved: 1 KiB", "banks: 8, bank_word: 3 B",
                "d.yaml:5:92: error: memories.l1: bank_word is not a power of two: 3"},
        Mistake{"reserved: 1 KiB", "banks: 2, bank_word: 2 B",
                "d.yaml:5:92: error: memories.l1: 2 banks of 2 B are narrower than the port"},
        Mistake{"alignment: 8", "alignment: 12",
                "d.yaml:5:99: error: memories.l1: alignment is not a power of two: 12"},
        Mistake{"clock: 100 MHz", "clock: 0 MHz", "d.yaml:2:8: error: clock: '0 MHz' is out of range: 1 kHz to 10 GHz"},
        Mistake{"clock: 50 MHz", "clock: 0 Hz", "d.yaml:6:67: error: memories.l2.clock: '0 Hz' is out of range"},
        Mistake{"kind: mac-array", "kind: mac-aray",
                "d.yaml:8:17: error: engines.array.kind: 'mac-aray' is none of dma, mac-array, table, npu or cpu; did "
                "you mean "
                "mac-array?"},
        Mistake{"issue: 20 cycles", "issue: 20 cycles, engine: core",
                "d.yaml:10:37: error: control.engine: there is no cpu engine"},
        Mistake{"issue: 20 cycles", "issue: 20 cycles, engine: mover",
                "d.yaml:10:37: error: control.engine: mover is a dma, not a cpu"},
        Mistake{"{kind: dma, between: [l2, l1], dimensions: 2, setup: 30 cycles, per_row: 15 ns, clock: 200 MHz, "
                "outstanding: 8}",
                "{kind: cpu, memories: [l1, l2], copy: 1 B/cycle, cycles_per_mac: {conv: 1}, cycles_per_element: "
                "{default: 1}}",
                "d.yaml:9:75: error: engines.mover.cycles_per_mac: has no depthwise or fully_connected"}));

TEST(DeviceReader, BytesMustBeAbleToReachTheEngineThatComputes) {
  const auto o = with("  l2: {", "  l3: {size: 8 MB, width: 1 B/cycle}\n  l2: {");
  ASSERT_TRUE(o.device);
  std::string text = small_device;
  text.replace(text.find("constants: l2"), 13, "constants: l3");
  text.insert(text.find("  l2: {"), "  l3: {size: 8 MB, width: 1 B/cycle}\n");
  EXPECT_EQ(read(text).messages,
            "d.yaml:12:12: error: constants: no engine moves bytes between l3 and l1, where array computes\n"
            "  hint: add a dma with links, or a cpu with copy, on the way\n");
  text.replace(text.find("between: [l2, l1]"), 17, "links: [[l3, l2], [l2, l1]]");
  EXPECT_TRUE(read(text).device) << "two copies are a way";
}

TEST(DeviceReader, SomethingMustCompute) {
  std::string text = small_device;
  const auto from = text.find("  array:");
  text.erase(from, text.find("  mover:") - from);
  EXPECT_EQ(read(text).messages,
            "d.yaml:8:3: error: engines: nothing computes\n  hint: add an engine of kind mac-array, table or cpu\n");
}

TEST(DeviceReader, WorkThatWouldBeFreeIsAWarning) {
  const auto o = with(", cycles_per_element: {default: 1}", ", cycles_per_element: {add: 1, softmax: 9}");
  ASSERT_TRUE(o.device);
  EXPECT_THAT(o.messages, HasSubstr("d.yaml:8:127: warning: engines.array.cycles_per_element: has no average_pool or "
                                    "max_pool, which will take no time"));
}

TEST(DeviceReader, CountsAreThoseOfTheLibraryAllOfThem) {
  const auto with_core = [](const std::string& library, const std::string& counts) {
    std::string text = small_device;
    text.replace(text.find("library: none"), 13, "library: " + library);
    const auto at = text.find("control:");
    text.insert(at,
                "  core: {kind: cpu, memory: l2, cycles_per_mac: {default: 1}, cycles_per_element: {default: 1}, "
                "cycles_per_count: " +
                    counts + "}\n");
    return read(text);
  };
  const std::string all =
      "{conv_block: 1, conv_rest: 2, im2col: 0, conv_tap: 9, conv_output: 3, depthwise_mac: 4, depthwise_output: 5, "
      "multiplied_mac: 4, multiplied_output: 5, dense_mac: 6, dense_output: 7.5, pool_element: 8, pool_output: 9}";
  const auto right = with_core("cmsis-nn", all);
  ASSERT_TRUE(right.device) << right.messages;
  EXPECT_EQ(right.device->engines[2].cycles_per_count.at("dense_output").value(), 7.5);
  EXPECT_THAT(with_core("cmsis-nn", "{conv_block: 1}").messages,
              HasSubstr("d.yaml:10:115: error: engines.core.cycles_per_count: has no conv_rest, im2col, conv_tap, "
                        "conv_output, depthwise_mac, depthwise_output, multiplied_mac, multiplied_output, dense_mac, "
                        "dense_output, pool_element or pool_output, which cmsis-nn is timed by"));
  EXPECT_THAT(with_core("x-cube-ai", all).messages,
              HasSubstr("cycles_per_count: is of no use: the kernel library 'x-cube-ai' counts nothing; "
                        "cmsis-nn, cmsis-nn-mve, ne16, pulp-nn, tflm-reference or tinyengine does"));
  auto other = all;
  other.replace(1, 10, "conv_vector");
  EXPECT_THAT(with_core("cmsis-nn", other).messages,
              HasSubstr("cycles_per_count: has 'conv_vector', which cmsis-nn does not count; it counts conv_block,"));
  EXPECT_THAT(with_core("cmsis-nn", "{conv_blok: 1}").messages, HasSubstr("did you mean conv_block?"));
  // Of 16 bits the same, where the library counts them.
  const auto both = with_core("cmsis-nn", all + ", cycles_per_count_int16: " + all);
  ASSERT_TRUE(both.device) << both.messages;
  EXPECT_EQ(both.device->engines[2].cycles_per_count_int16.at("conv_tap").value(), 9);
  EXPECT_THAT(with_core("cmsis-nn", all + ", cycles_per_count_int16: {conv_block: 1}").messages,
              HasSubstr("engines.core.cycles_per_count_int16: has no conv_rest, im2col,"));
  EXPECT_THAT(
      with_core("x-cube-ai", all + ", cycles_per_count_int16: " + all).messages,
      HasSubstr(
          "the kernel library 'x-cube-ai' counts nothing of 16 bits; cmsis-nn, cmsis-nn-mve or tflm-reference does"));
}

TEST(DeviceReader, TenMistakesAreTenErrorsInTheOrderOfTheFile) {
  const auto o = read(
      "name: broken\n"
      "clock: 100 Mhz\n"  // 1: unit
      "kernels: {library: none}\n"
      "memories:\n"
      "  l1: {size: 64 kb, width: 8 B/cycle}\n"               // 2: unit
      "  l2: {size: 1 MiB, width: 8 B/cycle, size: 2 MiB}\n"  // 3: duplicate
      "  l3: {width: 1 B/cycle, reserved: 010 B}\n"           // 4: missing, 5: octal
      "engines:\n"
      "  array: {kind: mac-array, memory: l4, macs_per_cycle: {int8: 4}, cycles_per_element: {default: 1}}\n"  // 6:
                                                                                                               // unknown
                                                                                                               // memory
      "  mover: {kind: dma, between: [l2, l1], dimensions: 4, setpu: 3 cycles}\n"  // 7: range, 8: unknown field
      "control: [20]\n"                                                            // 9: type
      "constants: l2\n"
      "io: l5\n");  // 10: unknown memory
  EXPECT_FALSE(o.device);
  std::vector<std::string> errors;
  std::istringstream lines(o.messages);
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("  hint", 0) != 0) errors.push_back(line);
  EXPECT_THAT(
      errors,
      testing::ElementsAre(
          "d.yaml:2:8: error: clock: '100 Mhz' is not a frequency: use Hz, kHz, MHz or GHz, for example 175 MHz",
          "d.yaml:5:14: error: memories.l1.size: '64 kb' is not a size: use B, KB, KiB, MB, MiB, GB or GiB, for "
          "example 64 KiB",
          "d.yaml:6:39: error: memories.l2: the key 'size' is given twice; first in line 6",
          "d.yaml:7:7: error: memories.l3: needs the field size",
          "d.yaml:7:36: error: memories.l3.reserved: '010 B' starts with 0, which some would read as octal: write a "
          "size without leading zeros",
          "d.yaml:9:36: error: engines.array.memory: no memory 'l4'; there is l1, l2 or l3",
          "d.yaml:10:53: error: engines.mover.dimensions: '4' is out of range: 1 to 3",
          "d.yaml:10:56: error: engines.mover: unknown field 'setpu'",
          "d.yaml:11:10: error: control: expected a mapping, not a list",
          "d.yaml:13:5: error: io: no memory 'l5'; there is l1, l2 or l3"));
}

TEST(DeviceReader, OverridesAreAxesOfASweep) {
  const Location here{"sweep.yaml", 3, 5};
  const auto o = read(small_device, {{"memories.l1.size", "128 KiB", here},
                                     {"engines.mover.channels", "2", here},
                                     {"control.wait", "5 cycles", here}});
  ASSERT_TRUE(o.device) << o.messages;
  EXPECT_EQ(o.device->memories[0].size, 131072);
  EXPECT_EQ(o.device->engines[1].channels, 2);
  EXPECT_EQ(o.device->control.wait, 5);
  EXPECT_NE(o.device->hash(), read(small_device).device->hash());
  EXPECT_THAT(read(small_device, {{"memories.l9.size", "1 KiB", here}}).messages,
              HasSubstr("sweep.yaml:3:5: error: override 'memories.l9.size': no such path: memories has no 'l9'"));
  EXPECT_THAT(read(small_device, {{"engines.mover.between", "[l2, l7]", here}}).messages,
              HasSubstr("sweep.yaml:3:5: error: engines.mover.between: no memory 'l7'"));
}

TEST(DeviceReader, MutatedTextsNeverDoMoreThanFail) {
  std::mt19937 random(7);
  const std::string base = small_device;
  const std::string alphabet = "abl123:,-[]{}&*!|>'\"# \n.0/";
  int accepted = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string text = base;
    for (unsigned k = 1 + random() % 4; k > 0; --k) {
      const auto at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = alphabet[random() % alphabet.size()];
          break;
        case 1:
          text.insert(at, 1, alphabet[random() % alphabet.size()]);
          break;
        case 2:
          text.erase(at, 1 + random() % 10);
          break;
        default:
          text.insert(at, base.substr(random() % base.size(), random() % 30));
          break;
      }
    }
    Diagnostics d;
    const auto device = read_device_text(text, "d.yaml", {}, d);
    ASSERT_EQ(device == nullptr, d.has_errors()) << text;
    for (const auto& one : d.list()) EXPECT_EQ(one.where.file, "d.yaml");
    if (!device) continue;
    ++accepted;
    EXPECT_GE(device->compute_engine(), 0);
    EXPECT_GE(device->constants, 0);
    EXPECT_GE(device->io, 0);
    for (const auto& m : device->memories) {
      EXPECT_GT(m.size, 0);
      EXPECT_GE(m.free(), 0);
      EXPECT_FALSE(m.width.zero());
    }
  }
  EXPECT_GT(accepted, 10) << "mutations that keep the device valid exist";
  EXPECT_LT(accepted, 1500);
}

}  // namespace
}  // namespace dse::hw::device_reader_test
