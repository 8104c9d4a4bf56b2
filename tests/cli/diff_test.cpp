// Comparisons from outside: runs, points, plans and packages; limits and their exit codes; what is refused.
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/process.h"

namespace dse::test::cli_diff_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const char* const tiny = R"(format: 1
name: tiny
input: {shape: [1, 8, 8, 4]}
layers:
  - conv: {name: stem, filters: 8, kernel: 3}
  - depthwise: {kernel: 3}
)";

class Diff : public testing::Test {
 protected:
  void SetUp() override {
    network = here.write("tiny.yaml", tiny);
    run("a", "    choices: {scheme: [interleaved, planar], filters: [all, 4], tile: [all, 4], layout: hwc}\n");
    run("b", "    choices: {scheme: [planar], tile: [all, 2], layout: hwc}\n");
  }
  void run(const std::string& folder, const std::string& choices) {
    const auto sweep =
        here.write(folder + ".yaml", "networks: [tiny.yaml]\ndevices: [gap8-class]\nexplore:\n" + choices.substr(2));
    const auto said = dse({"run", sweep, "-o", here / folder});
    ASSERT_EQ(said.exit, 0) << said.err << said.out;
  }
  Said diff(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "diff");
    return dse(arguments, here.path());
  }
  json parsed(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    const auto said = diff(std::move(arguments));
    EXPECT_EQ(said.exit, 0) << said.err;
    return json::parse(said.out, nullptr, false);
  }
  std::string plan_of(const std::string& folder, const std::string& mark) const {
    const auto results = json::parse(read(here / (folder + "/results.json")));
    for (const auto& p : results["fronts"][0]["points"])
      for (const auto& m : p["marks"])
        if (m == mark) return here / (folder + "/" + p["plan"].get<std::string>());
    return "";
  }
  Folder here;
  std::string network;
};

void expect_sums(const json& point) {
  const auto change = [](const json& pair) { return pair["difference"].get<std::int64_t>(); };
  std::int64_t layers = 0, causes = 0, on_chip = 0;
  for (const auto& l : point["layers"]) {
    layers += change(l["cycles"]);
    for (const auto& c : l["causes"]) causes += change(c);
  }
  EXPECT_EQ(layers, change(point["latency_cycles"]));
  EXPECT_EQ(causes, layers);
  for (const auto& m : point["memories"]) {
    std::int64_t buffers = 0;
    for (const auto& b : m["buffers"]) buffers += change(b["bytes"]);
    EXPECT_EQ(buffers + change(m["packing_bytes"]), change(m["arena_bytes"]));
    if (m["on_chip"]["a"].get<bool>()) on_chip += change(m["arena_bytes"]);
  }
  EXPECT_EQ(on_chip, change(point["memory_bytes"]));
}

// A layer put in front moves every number in a name.
const char* const longer = R"(format: 1
name: longer
input: {shape: [1, 8, 8, 4]}
layers:
  - conv: {filters: 4, kernel: 1}
  - conv: {filters: 8, kernel: 3}
  - depthwise: {kernel: 3}
  - conv: {filters: 8, kernel: 1}
)";
const char* const shorter = R"(format: 1
name: longer
input: {shape: [1, 8, 8, 4]}
layers:
  - conv: {filters: 8, kernel: 3}
  - depthwise: {kernel: 3}
  - conv: {filters: 8, kernel: 1}
)";

std::vector<std::string> alone_in(const json& layers, const char* presence) {
  std::vector<std::string> out;
  for (const auto& l : layers)
    if (l["presence"] == presence) out.push_back(l["names"][std::string(presence).back() == 'A' ? "a" : "b"]);
  return out;
}

TEST_F(Diff, ALayerInFrontIsOneNewLayerOfAPlan) {
  here.write("longer.yaml", longer), here.write("shorter.yaml", shorter);
  for (const std::string name : {"shorter", "longer"}) {
    const auto said = dse({"run", here / (name + ".yaml"), "--device", "gap8-class", "-o", here / name});
    ASSERT_EQ(said.exit, 0) << said.err;
  }
  const auto point = parsed({"shorter#fastest", "longer#fastest"})["points"][0];
  EXPECT_EQ(alone_in(point["layers"], "only in B"), std::vector<std::string>{"conv0"});
  EXPECT_THAT(alone_in(point["layers"], "only in A"), IsEmpty());
  std::map<std::string, std::string> pairs;
  for (const auto& l : point["layers"])
    if (l["presence"] == "both") pairs[l["names"]["a"]] = l["names"]["b"];
  EXPECT_EQ(pairs,
            (std::map<std::string, std::string>{{"conv0", "conv1"}, {"conv1", "conv2"}, {"depthwise0", "depthwise0"}}));
  expect_sums(point);
  const auto back = parsed({"longer#fastest", "shorter#fastest"})["points"][0];
  EXPECT_EQ(alone_in(back["layers"], "only in A"), std::vector<std::string>{"conv0"});
  expect_sums(back);
}

TEST_F(Diff, TwoNetworksAreComparedWithoutADevice) {
  const auto a = here.write("longer.yaml", longer), b = here.write("shorter.yaml", shorter);
  const auto same = diff({a, a, "--fail-over", "macs=0,weight_bytes=0"});
  EXPECT_EQ(same.exit, 0) << same.err;
  EXPECT_THAT(same.out, HasSubstr("equal: the same operators"));
  const auto network = parsed({b, a})["networks"];
  EXPECT_FALSE(network["equal"].get<bool>());
  EXPECT_EQ(alone_in(network["layers"], "only in B"), std::vector<std::string>{"conv0"});
  std::int64_t macs = 0, weights = 0;
  for (const auto& l : network["layers"])
    macs += l["macs"]["difference"].get<std::int64_t>(), weights += l["weight_bytes"]["difference"].get<std::int64_t>();
  EXPECT_EQ(macs, 8 * 8 * 4 * 4);
  EXPECT_EQ(macs, network["macs"]["difference"].get<std::int64_t>());
  EXPECT_EQ(weights, network["weight_bytes"]["difference"].get<std::int64_t>());
  EXPECT_EQ(weights, 4 * 4 + 4 * 4);  // filters, and a bias of 32 bits for each

  const auto worse = diff({b, a, "--fail-over", "macs=1%"});
  EXPECT_EQ(worse.exit, 6);
  EXPECT_THAT(worse.err, HasSubstr("limit exceeded: macs=1%"));
  EXPECT_EQ(diff({a, b, "--fail-over", "macs=0,operators=0,peak_bytes=0"}).exit, 0);
  EXPECT_THAT(diff({a, b, "--fail-over", "latency=1%"}).err, HasSubstr("networks have no metric"));
  EXPECT_EQ(diff({a, b, "--fail-over", "latency=1%"}).exit, 3);
  const auto mixed = diff({a, "a"});
  EXPECT_EQ(mixed.exit, 3);
  EXPECT_THAT(mixed.err, HasSubstr("is a network, and a is none"));
}

TEST_F(Diff, ShippedNetworksAreComparedByName) {
  const auto yaml = here.write("shorter.yaml", shorter);
  const auto shipped = diff({"ds-cnn", "ds-cnn"});
  EXPECT_EQ(shipped.exit, 0) << shipped.err;
  const auto other = diff({"ds-cnn", yaml, "--markdown"});
  EXPECT_EQ(other.exit, 0) << other.err;
  EXPECT_THAT(other.out, HasSubstr("only in A"));
}

TEST_F(Diff, EqualRunsSaySoAndPassEveryLimit) {
  const auto said = diff({"a", "a", "--fail-over", "latency=0,memory=0,traffic=0"});
  EXPECT_EQ(said.exit, 0) << said.err;
  EXPECT_EQ(said.out, "equal: all fronts of a and a do not differ in any choice, cycle or byte\n");
  EXPECT_TRUE(parsed({"a#1", "a#1"})["equal"].get<bool>());
}

TEST_F(Diff, FrontsAndTheAccountOfTheirKnees) {
  const auto said = diff({"a", "b"});
  EXPECT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("fronts of tiny on gap8-class\n"), HasSubstr("rule-based"),
                              HasSubstr("at equal memory ("), HasSubstr("A  a#knee: "), HasSubstr("sweep.yaml")));
  const auto j = parsed({"a", "b"});
  ASSERT_EQ(j["fronts"].size(), 1u);
  ASSERT_EQ(j["points"].size(), 1u);
  expect_sums(j["points"][0]);
}

TEST_F(Diff, PointsByMarkRowAndId) {
  const auto by_mark = parsed({"a", "b", "--point", "smallest"});
  expect_sums(by_mark["points"][0]);
  EXPECT_TRUE(by_mark["fronts"].empty());
  const auto by_row = parsed({"a#1", "b#1"});
  EXPECT_EQ(by_row["points"][0]["latency_cycles"], by_mark["points"][0]["latency_cycles"]);
  const auto id = by_mark["points"][0]["b"]["point"].get<std::string>();
  const auto mixed = parsed({"a#fastest", "b#" + id});
  EXPECT_EQ(mixed["points"][0]["b"]["point"], id);
  expect_sums(mixed["points"][0]);
}

TEST_F(Diff, MarkdownTablesAddUpForWhoReadsThem) {
  const auto said = diff({"a#smallest", "a#fastest", "--markdown"});
  ASSERT_EQ(said.exit, 0) << said.err;
  std::istringstream lines(said.out.substr(said.out.find("### cycles by layer")));
  std::int64_t sum = 0, total = 0;
  for (std::string line; std::getline(lines, line) && line.find("### arenas") == std::string::npos;) {
    if (line.empty() || line[0] != '|' || line[1] == '-' || line.starts_with("| layer")) continue;
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, '|');) cells.push_back(cell);
    std::string number;
    for (const char c : cells.at(4))
      if (c == '-' || (c >= '0' && c <= '9')) number += c;
    (cells.at(1).find("total") == std::string::npos ? sum : total) += std::stoll(number);
  }
  EXPECT_NE(total, 0);
  EXPECT_EQ(sum, total);
}

TEST_F(Diff, LimitsExceededEndWith6) {
  const auto memory = diff({"a#smallest", "a#fastest", "--fail-over", "memory=0,latency=0"});
  EXPECT_EQ(memory.exit, 6);
  EXPECT_THAT(memory.err, AllOf(HasSubstr("limit exceeded: memory=0: "), Not(HasSubstr("latency"))));
  EXPECT_THAT(memory.out, HasSubstr("cycles by layer"));  // the account all the same
  EXPECT_EQ(diff({"a#fastest", "a#smallest", "--fail-over", "latency=0%", "--fail-over", "memory=0"}).exit, 6);
  EXPECT_EQ(diff({"a#smallest", "a#fastest", "--fail-over", "memory=1MiB"}).exit, 0);
  const auto as_json = diff({"a#smallest", "a#fastest", "--fail-over", "memories.l1.peak=0,memory=1%", "--json"});
  EXPECT_EQ(as_json.exit, 6);
  EXPECT_FALSE(json::parse(as_json.out)["exceeded"].empty());
}

TEST_F(Diff, WrongLimitsAndSidesAreRefused) {
  const std::tuple<std::vector<std::string>, int, const char*> wrong[] = {
      {{"a", "b", "--fail-over", "latencey=2%"}, 3, "no metric is named 'latencey'; did you mean latency?"},
      {{"a", "b", "--fail-over", "latency"}, 3, "'latency' is no limit"},
      {{"a", "b", "--fail-over", "memory=4"}, 3, "has no unit"},
      {{"a", "gone"}, 3, "gone: error: does not exist"},
      {{"a", "b#knie"}, 3, "b#knie: error: no point 'knie'; did you mean knee?"},
      {{"a", "tiny.yaml"}, 3, "is a network, and a is none"},
      {{"a", "tiny.yaml#1"}, 3, "is a file"},
      {{"a", "b", "--network", "huge"}, 3, "has no front of 'huge' on any device"},
      {{"a", "b", "--json", "--markdown"}, 2, "--markdown"},
      {{"a"}, 2, "required"},
  };
  for (const auto& [arguments, code, words] : wrong) {
    const auto said = diff(arguments);
    EXPECT_EQ(said.exit, code) << arguments.back();
    EXPECT_THAT(said.err, HasSubstr(words));
    EXPECT_THAT(said.out, IsEmpty());
  }
  std::filesystem::create_directory(here / "empty");
  EXPECT_THAT(diff({"a", "empty"}).err, HasSubstr("holds no finished run"));
}

TEST_F(Diff, APlanIsSimulatedOnTheSpot) {
  const auto plan = plan_of("a", "fastest");
  // Network and device from the other side's run, or by name.
  EXPECT_TRUE(parsed({"a#fastest", plan})["equal"].get<bool>());
  EXPECT_TRUE(parsed({plan, "a#fastest", "--network", network, "--device", "gap8-class"})["equal"].get<bool>());
  const auto two = parsed({plan, plan_of("b", "fastest"), "--network", network, "--device", "gap8-class"});
  expect_sums(two["points"][0]);
  const auto alone = diff({plan, plan});
  EXPECT_EQ(alone.exit, 3);
  EXPECT_THAT(alone.err, AllOf(HasSubstr("no network is named 'tiny'"), HasSubstr("--network and --device")));
}

TEST_F(Diff, APackageHoldsItsAccount) {
  ASSERT_EQ(dse({"export", here / "a", "--point", "fastest", "-o", here / "package"}).exit, 0);
  EXPECT_TRUE(parsed({"package", "a#fastest"})["equal"].get<bool>());
  EXPECT_TRUE(parsed({"package", "package"})["equal"].get<bool>());
  // Without the account its plan is simulated.
  auto manifest = json::parse(read(here / "package/manifest.json"));
  auto& files = manifest["files"];
  files.erase(std::find_if(files.begin(), files.end(), [](const json& f) { return f["name"] == "account.json"; }));
  here.write("package/manifest.json", manifest.dump());
  EXPECT_TRUE(parsed({"package", "a#fastest"})["equal"].get<bool>());
  here.write("package/plan.yaml", read(here / "package/plan.yaml") + "# changed\n");
  const auto changed = diff({"package", "a#fastest"});
  EXPECT_EQ(changed.exit, 3);
  EXPECT_THAT(changed.err, AllOf(HasSubstr("plan.yaml: error: has changed since it was exported")));
}

TEST_F(Diff, ARunOfAnOlderVersionIsMeasuredAgain) {
  auto results = json::parse(read(here / "b/results.json"));
  results["provenance"].erase("signature"), results["provenance"].erase("outputs");
  for (auto& p : results["fronts"][0]["points"]) {
    p.erase("assignment"), p.erase("energy_fj");
    for (auto& row : p["account"]) row.erase("memories");
  }
  here.write("b/results.json", results.dump());
  expect_sums(parsed({"a#fastest", "b#fastest"})["points"][0]);
  for (auto& p : results["fronts"][0]["points"]) p["latency_cycles"] = 1;
  here.write("b/results.json", results.dump());
  const auto other = diff({"a#fastest", "b#fastest"});
  EXPECT_EQ(other.exit, 3);
  EXPECT_THAT(other.err, HasSubstr("not 1 as in the run"));
}

TEST_F(Diff, DamagedResultsAreRefused) {
  auto results = json::parse(read(here / "b/results.json"));
  for (auto& p : results["fronts"][0]["points"]) p["account"][0]["causes"]["compute"] = 1;
  here.write("b/results.json", results.dump());
  EXPECT_THAT(diff({"a", "b"}).err, HasSubstr("its signature is not that of what it says"));
  results["provenance"].erase("signature");
  here.write("b/results.json", results.dump());
  const auto said = diff({"a", "b"});
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.err, HasSubstr("the causes of layer stem add up to"));
  here.write("b/results.json", R"({"format": 1, "fronts": [{}], "provenance": {"inputs": {}}})");
  EXPECT_EQ(diff({"a", "b"}).exit, 3);
}

TEST_F(Diff, SeveralFrontsAreMatchedAndTheRestIsListed) {
  const auto more =
      here.write("more.yaml",
                 "networks: [tiny.yaml]\ndevices:\n  - base: gap8-class\n    axes: {memories.l1.size: [32 KiB, 64 "
                 "KiB]}\nexplore:\n  choices: {scheme: [planar], tile: [all, 2], layout: hwc}\n");
  ASSERT_EQ(dse({"run", more, "-o", here / "two"}).exit, 0);
  const auto less =
      here.write("less.yaml",
                 "networks: [tiny.yaml]\ndevices:\n  - base: gap8-class\n    axes: {memories.l1.size: [64 KiB]}\n"
                 "explore:\n  choices: {scheme: [planar], tile: [all, 2], layout: hwc}\n");
  ASSERT_EQ(dse({"run", less, "-o", here / "one"}).exit, 0);
  const auto j = parsed({"two", "one"});
  EXPECT_EQ(j["only_in_a"], json({"tiny on gap8-class/l1=32KiB"}));
  ASSERT_EQ(j["fronts"].size(), 1u);
  EXPECT_TRUE(j["fronts"][0]["equal"].get<bool>());
  EXPECT_FALSE(j["equal"].get<bool>());
  EXPECT_EQ(diff({"two#knee", "one"}).exit, 0);                                // the other side tells which
  EXPECT_EQ(diff({"two", "one", "--device", "gap8-class/l1=32KiB"}).exit, 3);  // B has none
  EXPECT_EQ(diff({"two", "one", "--device", "gap8-class/l1=64KiB", "--fail-over", "latency=0,memory=0"}).exit, 0);
}

}  // namespace
}  // namespace dse::test::cli_diff_test
