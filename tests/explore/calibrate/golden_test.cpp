// Measured boards: the shipped STM32L4R5 against the networks that its constants were fitted to, each left out in turn,
// and against networks that took no part.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/csv.h"
#include "explore/calibrate/calibrate.h"
#include "models/nn/import.h"

namespace dse::explore::calibrate_golden_test {
namespace {

namespace fs = std::filesystem;

fs::path shared() {
  if (const char* given = std::getenv("DSE_SHARED")) return given;
  return fs::path(DSE_SOURCE_DIR) / ".." / "shared";
}

std::string read(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// "conv3x3/s2 28x28x1>14x14x4 7056; maxpool2/s2>7x7x4; gap>4; fc 4>10 40" as a network; classifiers of ten end in a
/// softmax.
nn::NetworkPtr network_of(const std::string& name, const std::string& shape) {
  std::string layers, input;
  std::istringstream parts(shape);
  bool flat = false;
  int units = 0;
  for (std::string part; std::getline(parts, part, ';');) {
    int kh = 0, kw = 0, s = 0, h = 0, w = 0, c = 0, f = 0;
    const char* p = part.c_str() + part.find_first_not_of(' ');
    if (std::sscanf(p, "conv%dx%d/s%d %dx%dx%d>%*dx%*dx%d", &kh, &kw, &s, &h, &w, &c, &f) == 7) {
      if (input.empty()) input = fmt::format("[1, {}, {}, {}]", h, w, c);
      layers +=
          fmt::format("  - conv: {{filters: {}, kernel: [{}, {}], stride: {}, activation: relu}}\n", f, kh, kw, s);
    } else if (std::sscanf(p, "maxpool%d/s%d", &kh, &s) == 2) {
      layers += fmt::format("  - max_pool: {{kernel: {}, stride: {}}}\n", kh, s);
    } else if (std::sscanf(p, "gap>%d", &c) == 1) {
      layers += "  - mean: {keep_dims: false}\n", flat = true;
    } else if (std::sscanf(p, "fc %d>%d", &c, &units) == 2) {
      if (input.empty())
        input = fmt::format("[1, {}]", c);
      else if (!flat && layers.find("fully") == std::string::npos)
        layers += fmt::format("  - reshape: {{shape: [1, {}]}}\n", c);
      flat = true;
      layers += fmt::format("  - fully_connected: {{units: {}}}\n", units);
    } else {
      ADD_FAILURE() << "no layer: " << p;
    }
  }
  if (units == 10) layers += "  - softmax: {}\n";
  Diagnostics d;
  const auto text =
      fmt::format("format: 1\nname: {}\nseed: 1\ninput: {{shape: {}, scale: 0.0078, zero_point: 0}}\nlayers:\n{}", name,
                  input, layers);
  auto network = nn::import_yaml(text, name + ".yaml", d);
  EXPECT_TRUE(network) << d.text() << text;
  return network;
}

TEST(CalibrateGolden, EdgeMarksNetworksArePredictedByEachOther) {
  const auto file = shared() / "golden/cycles/whole_networks.csv";
  if (!fs::exists(file)) GTEST_SKIP() << "no golden folder";
  Diagnostics d;
  const auto table = parse_csv(read(file), file.string(), d);
  ASSERT_TRUE(table) << d.text();
  std::vector<MeasuredRow> rows;
  std::map<std::string, int> groups;
  for (const auto& row : table->rows) {
    const auto cell = [&](const char* name) { return row.cells[static_cast<std::size_t>(table->column(name))]; };
    const auto network = cell("network"), compiler = cell("compiler");
    const bool shown = network.rfind("CNN_", 0) == 0 || network.rfind("FC_", 0) == 0;
    if (cell("device") != "NUCLEO-L4R5ZI" || cell("library") != "TFLM + CMSIS-NN" || !shown ||
        network.find("int8") == std::string::npos || compiler.find("-Os") != std::string::npos)
      continue;
    MeasuredRow r;
    r.label = network, r.cycles = std::stod(cell("cycles"));
    r.group = groups.emplace(network, static_cast<int>(groups.size())).first->second;
    r.network = network_of(network.substr(0, network.find(' ')), cell("shape"));
    ASSERT_TRUE(r.network);
    rows.push_back(r);
  }
  ASSERT_EQ(rows.size(), 28u);
  std::vector<std::string> paths = {"engines.core.dispatch", "engines.core.cycles_per_element.softmax"};
  for (const char* count : {"conv_block", "conv_tap", "conv_output", "dense_mac"})
    paths.push_back("engines.core.cycles_per_count." + std::string(count));
  const auto device = read(DSE_SOURCE_DIR "/configs/devices/stm32l4r5.yaml");
  const auto c = calibrate(device, "stm32l4r5.yaml", rows, paths, d);
  ASSERT_TRUE(c) << d.text();
  std::vector<double> sizes;
  for (const auto& row : c->rows) sizes.push_back(std::abs(row.left_out));
  std::sort(sizes.begin(), sizes.end());
  std::printf("left out: middle %.1f %%, 9 of 10 within %.1f %%, worst %.1f %%, root of the mean square %.1f %%\n",
              100 * sizes[13], 100 * sizes[25], 100 * sizes[27], 100 * c->error);
  EXPECT_LE(sizes[13], 0.10);
  EXPECT_LE(sizes[25], 0.25);
  // What is shipped is what the fit says.
  for (const auto& k : c->constants) EXPECT_NEAR(k.after, k.number.value, 0.02 * k.number.value) << k.number.path;
  EXPECT_NEAR(c->error, 0.12, 0.01);
}

TEST(CalibrateGolden, NetworksThatTookNoPartAreWithinFivePercent) {
  // Cycles per multiply-accumulate of CMSIS-NN of 2024 on this board, to two digits (golden/cycles/README.md).
  const std::pair<const char*, double> known[] = {{"mlptiny_ic_resnet8_int8", 3.9}, {"mlptiny_ad_ae_int8", 4.1}};
  std::vector<MeasuredRow> rows;
  for (const auto& [name, per_mac] : known) {
    const auto file = shared() / "models/tflite" / (std::string(name) + ".tflite");
    if (!fs::exists(file)) GTEST_SKIP() << "no shared folder";
    Diagnostics d;
    MeasuredRow r;
    r.network = nn::load_network(file.string(), d);
    ASSERT_TRUE(r.network) << d.text();
    r.label = name, r.group = static_cast<int>(rows.size()),
    r.cycles = per_mac * static_cast<double>(r.network->macs());
    rows.push_back(r);
  }
  Diagnostics d;
  rows.push_back(rows[0]);  // a row for the one constant that is asked for, which no row tells
  const auto device = read(DSE_SOURCE_DIR "/configs/devices/stm32l4r5.yaml");
  const auto c = calibrate(device, "stm32l4r5.yaml", rows, {"engines.core.cycles_per_count.depthwise_mac"}, d);
  ASSERT_TRUE(c) << d.text();
  EXPECT_FALSE(c->constants[0].told);
  for (const auto& row : c->rows) {
    std::printf("%s: %+.1f %%\n", row.label.c_str(), 100 * (row.after - row.measured) / row.measured);
    EXPECT_NEAR(row.after, row.measured, 0.05 * row.measured) << row.label;
  }
}

}  // namespace
}  // namespace dse::explore::calibrate_golden_test
