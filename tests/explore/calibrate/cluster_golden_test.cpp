// GAP8 as DORY programs it: the shipped device against the runs that its constants were fitted to, each network left
// out in turn, and against runs that took no part.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/csv.h"
#include "explore/calibrate/calibrate.h"
#include "tests/explore/calibrate/cluster_networks.h"

namespace dse::explore::cluster_golden_test {
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

std::string shipped() { return read(DSE_SOURCE_DIR "/configs/devices/gap8.yaml"); }

std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

struct DoryRun {
  std::string network, note, cores;
  double cycles = 0;
};

/// Runs of DORY's code on GVSoC; none without the golden folder.
std::vector<DoryRun> dorys_runs() {
  const auto file = shared() / "golden/cycles/whole_networks.csv";
  if (!fs::exists(file)) return {};
  Diagnostics d;
  const auto table = parse_csv(read(file), file.string(), d);
  EXPECT_TRUE(table) << d.text();
  std::vector<DoryRun> out;
  for (const auto& row : table->rows) {
    const auto cell = [&](const char* name) { return row.cells[static_cast<std::size_t>(table->column(name))]; };
    if (cell("device") == "GAP8 (GVSoC)")
      out.push_back({cell("network"), cell("note"), cell("core").substr(0, 1), std::stod(cell("cycles"))});
  }
  return out;
}

template <class Wanted>
std::vector<MeasuredRow> rows_of(const std::vector<DoryRun>& runs, Wanted wanted) {
  std::vector<MeasuredRow> out;
  std::map<std::string, std::pair<int, nn::NetworkPtr>> known;
  for (const auto& run : runs) {
    if (!wanted(run)) continue;
    const auto network = dory_network(run.network);
    EXPECT_TRUE(network) << run.network;
    const auto& [group, first] =
        known.emplace(network->structure_hash(), std::make_pair(static_cast<int>(known.size()), network)).first->second;
    MeasuredRow r;
    r.network = first, r.group = group, r.label = run.network, r.cycles = run.cycles;
    out.push_back(r);
  }
  return out;
}

/// 64-bit requantisation, or 32; what is not said is 32.
bool is_64_bit(const DoryRun& run) { return run.note.find("64-bit") != std::string::npos; }
bool is_of_eight(const DoryRun& run) { return run.cores == "8"; }

void print(const Calibration& c) {
  for (const auto& k : c.constants) fmt::print("{:50} {:10.2f} -> {:10.2f}\n", k.number.path, k.number.value, k.after);
  for (const auto& r : c.rows)
    fmt::print("{:28} measured {:11.0f} predicted {:11.0f} {:+6.1f} %, left out {:+6.1f} %\n", r.label, r.measured,
               r.after, 100 * (r.after - r.measured) / r.measured, 100 * r.left_out);
}

const std::string kCounts = "engines.cluster.cycles_per_count.";

/// What the device takes for these rows, as it is shipped but for `text`.
Calibration predicted(const std::string& text, std::vector<MeasuredRow> rows) {
  while (rows.size() < 3) rows.push_back(rows.front());  // for the one constant that is asked for, which no row tells
  Diagnostics d;
  const auto c = calibrate(text, "gap8.yaml", rows, {"engines.cluster.cycles_per_element.softmax"}, d);
  EXPECT_TRUE(c) << d.text();
  return c ? *c : Calibration{};
}

TEST(ClusterGolden, NetworksOfDoryArePredictedByEachOther) {
  const auto runs = dorys_runs();
  if (runs.empty()) GTEST_SKIP() << "no golden folder";
  const auto rows = rows_of(runs, [](const DoryRun& r) { return is_of_eight(r) && !is_64_bit(r); });
  ASSERT_EQ(rows.size(), 7u);
  Diagnostics d;
  const auto c = calibrate(shipped(), "gap8.yaml", rows, {kCounts + "conv_block"}, d);
  ASSERT_TRUE(c) << d.text();
  print(*c);
  for (const auto& row : c->rows) {
    const bool mobilenet = row.measured > 2e7;  // nine tenths of what is measured, and of what tiles are made of
    EXPECT_LE(std::abs(row.left_out), mobilenet ? 0.06 : 0.10) << row.label;
  }
  // What is shipped is what the fit says.
  for (const auto& k : c->constants) EXPECT_NEAR(k.after, k.number.value, 0.02 * k.number.value) << k.number.path;
  EXPECT_NEAR(c->error, 0.055, 0.005);
}

TEST(ClusterGolden, ConstantsOfTheSourcesAloneAreWithinTwentyPercent) {
  const auto runs = dorys_runs();
  if (runs.empty()) GTEST_SKIP() << "no golden folder";
  // An iteration at the 15.5 MAC/cycle of PULP-NN's paper: nothing is fitted.
  const auto text = with(shipped(), "conv_block: 18.7", "conv_block: 14.6");
  const auto c = predicted(text, rows_of(runs, [](const DoryRun& r) { return is_of_eight(r) && !is_64_bit(r); }));
  print(c);
  for (const auto& row : c.rows) EXPECT_NEAR(row.after, row.measured, 0.20 * row.measured) << row.label;
}

TEST(ClusterGolden, OneCoreTakesWhatItsInstructionsTake) {
  const auto runs = dorys_runs();
  if (runs.empty()) GTEST_SKIP() << "no golden folder";
  const auto rows = rows_of(runs, [](const DoryRun& r) { return r.cores == "1"; });
  ASSERT_EQ(rows.size(), 1u);
  const auto c = predicted(with(with(shipped(), "cores: 8", "cores: 1"), "conv_block: 18.7", "conv_block: 14"), rows);
  print(c);
  EXPECT_NEAR(c.rows.at(0).after, c.rows.at(0).measured, 0.05 * c.rows.at(0).measured);
}

TEST(ClusterGolden, RunsThatTookNoPartDifferInTheirRequantisation) {
  const auto runs = dorys_runs();
  if (runs.empty()) GTEST_SKIP() << "no golden folder";
  const auto rows = rows_of(runs, [](const DoryRun& r) { return is_64_bit(r); });
  ASSERT_EQ(rows.size(), 10u);
  const auto c = predicted(with(shipped(), "conv_output: 12", "conv_output: 41"), rows);
  print(c);
  for (const auto& row : c.rows) {
    // One row of 512 pixels: DORY's pointwise kernel gives it to two cores, others to one; blocks of pixels are ours.
    if (row.label.find("1xW") != std::string::npos) continue;
    EXPECT_NEAR(row.after, row.measured, 0.25 * row.measured) << row.label;
  }
}

}  // namespace
}  // namespace dse::explore::cluster_golden_test
