// Orders of layers and axes of the space by name: in sweeps, plan documents, assignments and on the command line, and
// where exactly each of them is wrong.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/conversation.h"
#include "tests/cli/process.h"

namespace dse::test::orders_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

const char* const branched = R"(format: 1
name: branched
input: {shape: [1, 8, 8, 4]}
layers:
  - conv: {name: stem, filters: 4, kernel: 1}
  - conv: {name: left, filters: 16, kernel: 1}
  - conv: {name: right, from: stem, filters: 16, kernel: 1}
  - conv: {name: left_end, from: left, filters: 4, kernel: 1}
  - conv: {name: right_end, from: right, filters: 4, kernel: 1}
  - add: {name: sum, with: left_end}
)";
const char* const one_after_the_other = "stem,left,left_end,right,right_end,sum";

class Orders : public testing::Test {
 protected:
  void SetUp() override { network = here.write("branched.yaml", branched); }
  std::string sweep(const std::string& explore) const {
    return here.write("sweep.yaml", "networks: [branched.yaml]\ndevices: [cortex-m7-class]\nexplore:\n" + explore);
  }
  /// What is wrong with these orders; the values begin in column 28 of line 5.
  std::string wrong(const std::string& orders) const {
    const auto said = dse({"run", sweep("  choices:\n    {network.order: " + orders + "}\n"), "--dry-run"});
    EXPECT_EQ(said.exit, 3) << orders << said.out << said.err;
    return said.err;
  }
  json front(const std::string& choices) const {
    const Folder out;
    const auto said =
        dse({"run", sweep("  by_phases: false\n  choices: {" + choices + "}\n"), "-o", out / "run", "--jobs", "1"});
    EXPECT_EQ(said.exit, 0) << said.err << said.out;
    return json::parse(read(out / "run/results.json"))["fronts"][0];
  }
  Folder here;
  std::string network;
};

TEST_F(Orders, OfASweepAreTheFilesSearchedOrListed) {
  const auto least = [](const json& front) { return front["points"][0]["memory_bytes"].get<int>(); };
  const auto order = [](const json& point) { return point["assignment"]["network.order"].get<std::string>(); };
  const auto filed = front("network.order: file");
  for (const auto& p : filed["points"]) EXPECT_EQ(order(p), "file");
  const auto searched = front("network.order: searched");
  EXPECT_LT(least(searched), least(filed));
  // A list of layers is one order, also with one layer a line.
  const auto listed = front("network.order: [stem, left, left_end, right, right_end, sum]");
  for (const auto& p : listed["points"])
    if (p["origin"] == "front") {
      EXPECT_EQ(order(p), one_after_the_other);
    }
  EXPECT_EQ(least(listed), least(searched));
  EXPECT_EQ(least(front(std::string("network.order: [file, \"") + one_after_the_other + "\"]")), least(searched));
}

TEST_F(Orders, ThatAreNoneSayWhere) {
  const auto names = "sweep.yaml:5:";
  const auto hint = HasSubstr("the order is `searched`, `file`, or the names of all layers");
  EXPECT_THAT(wrong("[stem, left, left_edn, right, right_end, sum]"),
              AllOf(HasSubstr(std::string(names) + "34: error: choices.network.order: network branched has no layer "
                                                   "'left_edn'; did you mean left_end?"),
                    hint));
  EXPECT_THAT(wrong("[stem, left, left_end, left, right, right_end, sum]"),
              AllOf(HasSubstr(std::string(names) + "44: error: choices.network.order: layer left is in the order "
                                                   "twice"),
                    hint));
  EXPECT_THAT(wrong("[stem, left_end, left, right, right_end, sum]"),
              AllOf(HasSubstr(std::string(names) + "28: error: choices.network.order: layer left_end cannot run before "
                                                   "layer left, which it needs"),
                    hint));
  EXPECT_THAT(wrong("[stem, left, left_end, right, right_end]"),
              AllOf(HasSubstr(std::string(names) + "6: error: choices.network.order: layer sum is missing in the "
                                                   "order"),
                    hint));
  EXPECT_THAT(wrong("searchd"), AllOf(HasSubstr(std::string(names) + "21: error: "),
                                      HasSubstr("no layer 'searchd'; did you mean searched?")));
  EXPECT_THAT(wrong("\"stem,left\""), AllOf(HasSubstr(std::string(names) + "21: error: "), HasSubstr("is missing")));
  EXPECT_THAT(wrong("[file, \"stem,right,left\"]"),
              AllOf(HasSubstr(std::string(names) + "28: error: "), HasSubstr("is missing in the order")));
}

TEST_F(Orders, AreListedAndSetFromOutside) {
  const auto listed = json::parse(dse({"choices", network, "--device", "cortex-m7-class", "--json"}).out);
  json order;
  for (const auto& c : listed["choices"])
    if (c["name"] == "network.order") order = c;
  EXPECT_EQ(order["default"], "file");
  EXPECT_EQ(order["values"], json({"file", "stem,right,right_end,left,left_end,sum"}));
  EXPECT_THAT(order["doc"].get<std::string>(), HasSubstr("the names of all layers in the order in which they run"));

  // Layers have a choice `order` of their own: both are explained.
  EXPECT_THAT(
      dse({"choices", network, "--device", "cortex-m7-class"}).out,
      AllOf(HasSubstr("\n  order: filters-outer: "), HasSubstr("\n  network.order: file: layers run as the file")));

  Conversation session({"simulate", "--network", network, "--device", "cortex-m7-class", "--stdin"});
  const auto ask = [&](const json& line) {
    session.say(line.dump() + "\n");
    const auto answer = session.hear();
    return answer ? json::parse(*answer) : json();
  };
  const auto filed = ask(json::object()), other = ask({{"network.order", one_after_the_other}});
  EXPECT_EQ(filed["status"], "ok");
  EXPECT_EQ(filed["assignment"]["network.order"], "file");
  EXPECT_EQ(other["status"], "ok") << other;
  EXPECT_EQ(other["assignment"]["network.order"], one_after_the_other);
  EXPECT_LT(other["memory"], filed["memory"]) << other;
  EXPECT_EQ(ask(other["assignment"]), other);
  for (const auto& [order, says] : std::vector<std::pair<std::string, std::string>>{
           {"stem,left,left_edn,right,right_end,sum", "no layer 'left_edn'; did you mean left_end?"},
           {"stem,left,left_end,right,right_end", "layer sum is missing in the order"},
           {"stem,left,left,left_end,right,right_end,sum", "layer left is in the order twice"},
           {"stem,left_end,left,right,right_end,sum", "layer left_end cannot run before layer left, which it needs"},
           {"searched", "no layer 'searched'"}}) {
    const auto answer = ask({{"network.order", order}});
    EXPECT_EQ(answer["status"], "invalid") << order;
    EXPECT_THAT(answer["errors"].dump(), AllOf(HasSubstr("network.order: "), HasSubstr(says))) << order;
  }
  session.finish();
  EXPECT_EQ(session.exit(), 0);
}

TEST_F(Orders, APlanDocumentSaysAtWhichLayerItsOrderIsWrong) {
  const auto plan = [&](const std::string& order) {
    std::string text =
        "format: 1\nnetwork: {name: branched}\ndevice: {name: cortex-m7-class}\norder: " + order + "\nlayers:\n";
    for (const char* layer : {"stem", "left", "right", "left_end", "right_end"})
      text += std::string("  ") + layer + ": {output: sram}\n";
    return dse({"simulate", "--plan", here.write("branched.plan.yaml", text), "--network", network, "--device",
                "cortex-m7-class"});
  };
  const auto good = plan("[stem, left, left_end, right, right_end, sum]");
  EXPECT_EQ(good.exit, 0) << good.err;
  EXPECT_THAT(plan("[stem, left, left_edn, right, right_end, sum]").err,
              HasSubstr("branched.plan.yaml:4:21: error: network branched has no layer 'left_edn'"));
  EXPECT_THAT(plan("[stem, left_end, left, right, right_end, sum]").err,
              HasSubstr("branched.plan.yaml:4:15: error: layer left_end cannot run before layer left, which it needs"));
  EXPECT_THAT(plan("[stem, left, left_end, right, right_end, right, sum]").err,
              HasSubstr("branched.plan.yaml:4:49: error: layer right is in the order twice"));
  EXPECT_THAT(plan("[stem, left, left_end, right, right_end]").err,
              HasSubstr("branched.plan.yaml:4:8: error: layer sum is missing in the order"));
}

TEST_F(Orders, AxesToDoWithoutAreKnownByName) {
  const std::string all = "order,phases,in-place,tiles,techniques,buffering,prefetch";
  const auto said =
      dse({"run", network, "--device", "cortex-m7-class", "--without", all, "-o", here / "out", "--jobs", "1"});
  ASSERT_EQ(said.exit, 0) << said.err;
  std::string names;
  const auto results = json::parse(read(here / "out/results.json"));
  for (const auto& w : results["fronts"][0]["without"])
    names += (names.empty() ? "" : ",") + w["axis"].get<std::string>();
  EXPECT_EQ(names, all);
  const auto typo = dse({"run", network, "--device", "cortex-m7-class", "--without", "order,tile", "-o", here / "x"});
  EXPECT_EQ(typo.exit, 2);
  EXPECT_THAT(typo.err, AllOf(HasSubstr("--without: there is no axis 'tile'"), HasSubstr("did you mean tiles?")));
  const auto strange = dse({"run", network, "--device", "cortex-m7-class", "--without", "weather", "-o", here / "x"});
  EXPECT_EQ(strange.exit, 2);
  EXPECT_THAT(strange.err,
              HasSubstr("there is order, phases, in-place, tiles, techniques, batches, buffering or prefetch"));
  const auto file = dse({"run", sweep("  without: [order, bufering]\n"), "--dry-run"});
  EXPECT_EQ(file.exit, 3);
  EXPECT_THAT(file.err,
              HasSubstr("sweep.yaml:4:20: error: explore.without[1]: 'bufering' is none of order, phases, "
                        "in-place, tiles, techniques, batches, buffering or prefetch; did you mean buffering?"));
}

}  // namespace
}  // namespace dse::test::orders_test
