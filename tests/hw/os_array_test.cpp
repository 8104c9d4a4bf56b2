// The table of the accelerator on paper is what its formulas give for the shapes listed here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include "base/units.h"
#include "models/hw/device_reader.h"

namespace dse::hw::os_array_test {
namespace {

using Numbers = std::vector<std::int64_t>;
constexpr std::int64_t kSide = 16, kFillAndEmpty = 46, kDescribe = 64;

/// A window, and the outputs and input channels that the table has rows of; every one with every other.
struct Grid {
  const char* op;
  int kernel_h, kernel_w, stride;
  Numbers rows, columns, channels, depth;
};

const std::vector<Grid>& grids() {
  static const std::vector<Grid> all = {
      {"CONV_2D", 1, 1, 1, {1, 2, 4, 8, 16, 36, 64, 144}, {16}, {8, 16, 32, 64, 128, 256}, {8, 16, 32, 64, 128, 256}},
      {"CONV_2D", 1, 1, 2, {1, 2, 4, 8, 16}, {8, 16}, {16, 32, 64}, {16, 32}},
      {"CONV_2D", 3, 3, 1, {1, 2, 4, 8, 16, 32}, {8, 16, 32}, {16, 32, 64}, {3, 16, 32, 64}},
      {"CONV_2D", 3, 3, 2, {1, 2, 4, 8, 16, 32, 48}, {8, 16, 32, 48}, {8, 16, 32, 64}, {3, 16, 32}},
      {"CONV_2D", 10, 4, 2, {1, 2, 4, 8, 13, 25}, {5}, {16, 32, 64}, {1}},
      {"DEPTHWISE_CONV_2D", 3, 3, 1, {1, 2, 4, 8, 16, 24, 48}, {5, 8, 16, 24, 48}, {8, 16, 32, 64, 128, 256}, {1}},
      {"DEPTHWISE_CONV_2D", 3, 3, 2, {1, 2, 4, 8, 16, 24}, {8, 16, 24}, {8, 16, 32, 64, 128, 256}, {1}},
      {"FULLY_CONNECTED", 1, 1, 1, {1}, {1}, {8, 16, 32, 64, 128, 256, 640}, {8, 16, 32, 64, 128, 256, 640}},
      {"ADD", 1, 1, 1, {1, 2, 4, 8, 16, 36, 64}, {16}, {16, 32, 64, 128}, {1}},
  };
  return all;
}

std::int64_t cycles_of(const Grid& g, std::int64_t pixels, std::int64_t channels, std::int64_t depth) {
  const std::int64_t taps = g.kernel_h * g.kernel_w, op = g.op[0];
  if (op == 'A') return ceil_div(pixels * channels, kSide) + kDescribe;
  if (op == 'D') return ceil_div(pixels, kSide) * (channels * taps + kFillAndEmpty) + kDescribe;
  return ceil_div(pixels, kSide) * ceil_div(channels, kSide) * (taps * depth + kFillAndEmpty) + kDescribe;
}

std::string table() {
  std::ostringstream out;
  out << "operator,out_h,out_w,out_c,in_c,kernel_h,kernel_w,stride_h,stride_w,cycles\n";
  for (const auto& g : grids())
    for (const auto rows : g.rows)
      for (const auto columns : g.columns)
        for (const auto channels : g.channels)
          for (const auto depth : g.depth)
            out << g.op << ',' << rows << ',' << columns << ',' << channels << ','
                << (g.op[0] == 'C' || g.op[0] == 'F' ? std::to_string(depth) : "") << ',' << g.kernel_h << ','
                << g.kernel_w << ',' << g.stride << ',' << g.stride << ','
                << cycles_of(g, rows * columns, channels, depth) << '\n';
  return out.str();
}

/// DSE_UPDATE=1 writes it.
TEST(Generated, TableOfTheArrayOnPaperIsUpToDate) {
  const std::string file = DSE_SOURCE_DIR "/configs/devices/os-array-16x16.csv";
  if (std::getenv("DSE_UPDATE") != nullptr) std::ofstream(file, std::ios::binary) << table();
  std::ifstream in(file, std::ios::binary);
  EXPECT_TRUE(std::string(std::istreambuf_iterator<char>(in), {}) == table())
      << file << " is not what its formulas give";
}

TEST(OsArray, IsReadWithItsTable) {
  Diagnostics d;
  const auto device = read_device(DSE_SOURCE_DIR "/configs/devices/os-array-16x16.yaml", {}, d);
  ASSERT_TRUE(device) << d.text();
  EXPECT_EQ(d.text(), "");
  const auto text = table();
  const auto rows = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) - 1;
  EXPECT_EQ(device->engines[static_cast<std::size_t>(device->compute_engine())].cycles_by_shape.size(), rows);
}

}  // namespace
}  // namespace dse::hw::os_array_test
