// Constants are found again from what a device with other ones takes.
#include "explore/calibrate/calibrate.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "models/hw/device_reader.h"
#include "tests/support/inputs.h"

namespace dse::explore::calibrate_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string text_of(const std::string& device) {
  std::ifstream in(DSE_SOURCE_DIR "/configs/devices/" + device + ".yaml");
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<MeasuredRow> rows_of(const std::vector<std::string>& networks) {
  std::vector<MeasuredRow> out;
  for (const auto& name : networks) {
    Diagnostics d;
    MeasuredRow row;
    row.network = nn::load_network(DSE_SOURCE_DIR "/configs/networks/" + name + ".yaml", d);
    EXPECT_TRUE(row.network) << d.text();
    row.label = row.about = name, row.cycles = 1;
    out.push_back(row);
  }
  return out;
}

/// Rows with the cycles that the device takes with these constants.
std::vector<MeasuredRow> measured_with(std::vector<MeasuredRow> rows, const std::string& device,
                                       const std::vector<std::string>& paths, const std::vector<double>& values) {
  Diagnostics d;
  const auto text = text_of(device);
  const auto numbers = find_constants(text, device, paths, d);
  EXPECT_TRUE(numbers) << d.text();
  const auto other = with_constants(text, *numbers, values);
  // A calibration of nothing that matters predicts what there is.
  const auto c = calibrate({{other, device, rows}}, {{paths[0]}, {}}, d);
  EXPECT_TRUE(c) << d.text();
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].cycles = c->rows[i].before;
  return rows;
}

const std::vector<std::string> kNetworks = {
    "resnet8", "ds-cnn", "autoencoder", "mobilenet-v1-0.25-96", "once-for-all-48", "mobilenet-v2-0.35-64"};

TEST(Calibrate, FindsTheRatesOfAnotherDevice) {
  const std::vector<std::string> paths = {"engines.core.cycles_per_mac.conv", "engines.core.cycles_per_mac.depthwise"};
  const auto rows = measured_with(rows_of(kNetworks), "cortex-m7-class", paths, {2.5, 5});
  Diagnostics d;
  const auto text = text_of("cortex-m7-class");
  const auto c = calibrate({{text, "m7.yaml", rows}}, {paths, {}}, d);
  ASSERT_TRUE(c) << d.text();
  EXPECT_NEAR(c->constants[0].after, 2.5, 0.005);
  EXPECT_NEAR(c->constants[1].after, 5, 0.01);
  EXPECT_LT(c->error, 0.001);
  for (const auto& row : c->rows) EXPECT_NEAR(row.after, row.measured, row.measured * 1e-3) << row.label;
  // Only the two numbers are other ones, and what the error is stands at the end.
  EXPECT_THAT(c->texts[0], AllOf(testing::ContainsRegex("[{]conv: 2[.][45][0-9]*, depthwise: [45]"),
                                 HasSubstr("# How the table was made"), HasSubstr("\ntiming_error: ")));
  Diagnostics again;
  const auto device = hw::read_device_text(c->texts[0], "again.yaml", {}, again);
  ASSERT_TRUE(device) << again.text();
  EXPECT_LT(device->timing_error, 0.001);
}

TEST(Calibrate, FindsWhatLoopsTake) {
  const std::vector<std::string> paths = {"engines.core.cycles_per_count.conv_block", "engines.core.dispatch"};
  const auto rows = measured_with(rows_of(kNetworks), "stm32l4r5", paths, {4, 900});
  Diagnostics d;
  const auto c = calibrate({{text_of("stm32l4r5"), "l4.yaml", rows}}, {paths, {}}, d);
  ASSERT_TRUE(c) << d.text();
  EXPECT_NEAR(c->constants[0].after, 4, 0.01);
  EXPECT_NEAR(c->constants[1].after, 900, 10);
  EXPECT_THAT(c->texts[0], HasSubstr("dispatch: 9"));
}

TEST(Calibrate, FindsShares) {
  // A cluster with DMA: times are no sums of constants, and the efficiency divides.
  const std::vector<std::string> paths = {"engines.cluster.efficiency.conv"};
  const auto rows = measured_with(rows_of({"resnet8", "ds-cnn", "autoencoder"}), "gap8-class", paths, {0.31});
  Diagnostics d;
  const auto c = calibrate({{text_of("gap8-class"), "gap8.yaml", rows}}, {paths, {}}, d);
  ASSERT_TRUE(c) << d.text();
  EXPECT_NEAR(c->constants[0].after, 0.31, 0.003);
}

TEST(Calibrate, StartsOfInferencesAreOfWholeNetworksInTheClockThatIsMeasured) {
  auto rows = rows_of({"ds-cnn"});
  const auto cycles = [&](const std::string& start) {
    Diagnostics d;
    const Location here{"test", 0, 0};
    const auto c = predict(
        {{text_of("gap8-class"),
          "gap8.yaml",
          rows,
          {{"control.start", start, here}, {"engines.cluster.clock", "350 MHz", here}, {"clock", "175 MHz", here}}}},
        d);
    EXPECT_TRUE(c) << d.text();
    return c ? c->rows[0].after : -1;
  };
  EXPECT_NEAR(cycles("1000 cycles") - cycles("0 cycles"), 2000, 1e-6);  // two of the cluster's for each of control's
  rows[0].whole = false;
  EXPECT_EQ(cycles("1000 cycles"), cycles("0 cycles"));
}

TEST(Calibrate, RefusesWhatItCannotTell) {
  const auto rows = rows_of({"resnet8", "ds-cnn", "autoencoder"});
  const auto why = [&](const std::vector<std::string>& paths) {
    Diagnostics d;
    EXPECT_FALSE(calibrate({{text_of("cortex-m7-class"), "m7.yaml", rows}}, {paths, {}}, d));
    return d.text();
  };
  EXPECT_THAT(why({}), HasSubstr("3 constants would be fitted to 3 rows: at most a third of the rows"));
  EXPECT_THAT(why({"engines.core.cycles_per_mac.konv"}),
              AllOf(HasSubstr("has no field engines.core.cycles_per_mac.konv"), HasSubstr("did you mean conv?")));
  EXPECT_THAT(why({"memories.flash.width"}), HasSubstr("memories.flash.width is no plain number"));  // 16/7 B/cycle
  EXPECT_THAT(why({"kernels.library"}), HasSubstr("kernels.library is no plain number"));
  EXPECT_THAT(why({"memories.flash"}), HasSubstr("memories.flash is no plain number that a fit could change, nor a"));
}

TEST(Calibrate, MayStartElsewhereThanTheFile) {
  // The rows are what the file says; started elsewhere, the fit comes back to it, and what no row tells stays.
  const auto text = text_of("cortex-m7-class");
  const std::vector<std::string> paths = {"engines.core.cycles_per_mac.conv=5",
                                          "engines.core.cycles_per_element.max_pool=7"};
  auto rows = rows_of(kNetworks);
  Diagnostics d;
  const auto now = predict({{text, "m7.yaml", rows}}, d);
  ASSERT_TRUE(now);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].cycles = now->rows[i].after;
  const auto c = calibrate({{text, "m7.yaml", rows}}, {paths, {}}, d);
  ASSERT_TRUE(c) << d.text();
  EXPECT_NEAR(c->constants[0].after, 1.2, 0.005);
  EXPECT_EQ(c->constants[1].after, 7);
  EXPECT_FALSE(c->constants[1].told);
  EXPECT_FALSE(calibrate({{text, "m7.yaml", rows}}, {{"engines.core.cycles_per_mac.conv=fast"}, {}}, d));
  EXPECT_THAT(d.text(), HasSubstr("does not end in a number where the fit of one could start"));
}

TEST(Calibrate, ATableIsFittedByOneFactor) {
  const std::string table = "engines.core.cycles_per_mac";
  const auto rows = measured_with(rows_of(kNetworks), "cortex-m7-class", {table, "engines.core.dispatch"}, {1.7, 300});
  Diagnostics d;
  const auto c = calibrate({{text_of("cortex-m7-class"), "m7.yaml", rows}}, {{table}, {}}, d);
  ASSERT_TRUE(c) << d.text();
  EXPECT_NEAR(c->constants[0].after, 1.7, 0.001);
  EXPECT_THAT(c->texts[0], testing::ContainsRegex("[{]conv: 2[.]0[34][0-9]*, depthwise: 12[.]5"));
  EXPECT_EQ(c->constants[0].constant.text(c->constants[0].after).substr(0, 3), "x 1");
  // Nor can a number be fitted beside the table that it stands in.
  EXPECT_FALSE(calibrate({{text_of("cortex-m7-class"), "m7.yaml", rows}}, {{table, table + ".conv"}, {}}, d));
  EXPECT_THAT(d.text(), HasSubstr("cycles_per_mac.conv is asked for twice"));
}

TEST(Calibrate, BoardsThatShareTheirConstants) {
  // Half of the networks on a device with its flash twice as slow, the others as it is shipped: one price fits both.
  const std::vector<std::string> paths = {"engines.core.cycles_per_count.conv_block"};
  auto slow = text_of("stm32l4r5");
  const std::string width = "width: 8/6 B/cycle";
  slow.replace(slow.find(width), width.size(), "width: 4/6 B/cycle");
  std::vector<CalibrationBoard> boards = {{text_of("stm32l4r5"), "a.yaml", {}}, {slow, "b.yaml", {}}};
  Diagnostics d;
  for (auto& board : boards) {
    board.rows = rows_of(&board == &boards[0] ? std::vector<std::string>{"resnet8", "autoencoder"}
                                              : std::vector<std::string>{"ds-cnn", "once-for-all-48"});
    const auto numbers = find_constants(board.text, board.file, paths, d);
    auto other = board;
    other.text = with_constants(board.text, *numbers, {3.5});
    const auto there = predict({other}, d);
    ASSERT_TRUE(there) << d.text();
    for (std::size_t i = 0; i < board.rows.size(); ++i) board.rows[i].cycles = there->rows[i].after;
  }
  const auto c = calibrate(boards, {paths, {}}, d);
  ASSERT_TRUE(c) << d.text();
  EXPECT_NEAR(c->constants[0].after, 3.5, 0.001);
  ASSERT_EQ(c->texts.size(), 2u);
  EXPECT_THAT(c->texts[1], AllOf(HasSubstr("width: 4/6 B/cycle"), HasSubstr("conv_block: 3.5")));
  EXPECT_EQ(c->rows.back().board, 1u);
  EXPECT_LT(c->error, 0.001);
  const auto now = predict(boards, d);
  ASSERT_TRUE(now);
  EXPECT_GT(now->error, 0.01);
}

TEST(Calibrate, OneNetworkTellsNothingOfOthers) {
  auto rows = rows_of({"resnet8", "resnet8", "resnet8"});
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].op = static_cast<int>(i), rows[i].cycles = 1e6;
  Diagnostics d;
  const auto c =
      calibrate({{text_of("cortex-m7-class"), "m7.yaml", rows}}, {{"engines.core.cycles_per_mac.conv"}, {}}, d);
  ASSERT_TRUE(c) << d.text();
  EXPECT_EQ(c->error, -1);
  EXPECT_THAT(c->texts[0], Not(HasSubstr("timing_error")));
}

}  // namespace
}  // namespace dse::explore::calibrate_test
