// dse simulate --stdin and dse choices: what comes in, what goes out, and how a session ends.
#include <gmock/gmock.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "tests/cli/conversation.h"
#include "tests/cli/process.h"

namespace dse::test::session_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> session(const std::vector<std::string>& further = {}) {
  std::vector<std::string> out = {"simulate", "--network", "ds-cnn", "--device", "gap8-class", "--stdin"};
  out.insert(out.end(), further.begin(), further.end());
  return out;
}

/// What it answers to one line, which must come before anything else is said.
json ask(Conversation& dse, const std::string& line) {
  dse.say(line + "\n");
  const auto answer = dse.hear();
  return answer ? json::parse(*answer) : json();
}

TEST(Session, EveryLineIsAnsweredBeforeTheNextIsRead) {
  Conversation dse(session());
  const auto defaults = ask(dse, "{}");
  EXPECT_EQ(defaults["status"], "ok");
  EXPECT_FALSE(defaults.contains("id"));
  const auto named = ask(dse, R"({"id": "x", "conv0.tile": 4, "device.memories.l1.size": "128 KiB"})");
  EXPECT_EQ(named["status"], "ok");
  EXPECT_EQ(named["id"], "x");
  EXPECT_EQ(named["assignment"]["conv0.tile"], "4");
  EXPECT_EQ(named["assignment"]["device.memories.l1.size"], "128 KiB");
  EXPECT_NE(named["plan"], defaults["plan"]);
  // What was run, run again.
  const auto again = ask(dse, defaults["assignment"].dump());
  EXPECT_EQ(again, defaults);
  dse.finish();
  EXPECT_FALSE(dse.hear().has_value());
  EXPECT_EQ(dse.exit(), 0);
}

TEST(Session, BadLinesAreAnsweredAndTheSessionGoesOn) {
  Conversation dse(session());
  const std::string many(3u << 20, 'x');
  for (const auto& [line, says] :
       std::vector<std::pair<std::string, std::string>>{{"", "empty"},
                                                        {"hello", "malformed JSON"},
                                                        {R"({"conv0.tile": NaN})", "malformed JSON"},
                                                        {R"({"conv0.tile": 4, "conv0.tile": 4})", "given twice"},
                                                        {R"({"conv0": {"tile": 4}})", "not an object"},
                                                        {R"({"conv9.tile": 4})", "conv9"},
                                                        {R"({"conv0.tiles": 4})", "did you mean tile?"},
                                                        {R"({"conv0.tile": 999})", "conv0.tile: '999' is no value"},
                                                        {R"({"conv0.channels": 4})", "nothing to choose here"},
                                                        {R"({"device.memories.l9.size": "1 KiB"})", "memories"},
                                                        {R"({"device.memories.l1.size": "much"})", "memories.l1.size"},
                                                        {many, "longer than 1048576 bytes"}}) {
    const auto answer = ask(dse, line);
    EXPECT_EQ(answer["status"], "invalid") << line.substr(0, 60);
    EXPECT_THAT(answer["errors"].dump(), HasSubstr(says)) << line.substr(0, 60);
  }
  const auto small = ask(dse, R"({"id": 2, "device.memories.l1.size": "30 KiB"})");
  EXPECT_EQ(small["status"], "infeasible");
  EXPECT_EQ(small["id"], 2);
  EXPECT_THAT(small["reason"].get<std::string>(), HasSubstr("l1 is "));
  EXPECT_EQ(ask(dse, "{}")["status"], "ok");
  dse.say(R"({"id": "no newline"})");
  dse.finish();
  const auto last = dse.hear();
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(json::parse(*last)["id"], "no newline");
  EXPECT_EQ(dse.exit(), 0);
}

TEST(Session, LenientOnesLeaveOutWhatDoesNotApply) {
  Conversation strict(session()), lenient(session({"--lenient", "--verify"}));
  const std::string line = R"({"conv1.channels": 4, "conv1.scheme": "interleaved", "conv1.tile": 7})";
  EXPECT_EQ(ask(strict, line)["status"], "invalid");
  const auto answer = ask(lenient, line);
  EXPECT_EQ(answer["status"], "ok");
  EXPECT_FALSE(answer["assignment"].contains("conv1.channels"));
  EXPECT_EQ(ask(strict, answer["assignment"].dump())["plan"], answer["plan"]);
  EXPECT_EQ(ask(lenient, R"({"conv1.channels": 999})")["status"], "invalid");  // of no scheme
  EXPECT_EQ(ask(lenient, R"({"conv1.canals": 4})")["status"], "invalid");
}

TEST(Session, ASignalEndsItAt130) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Conversation dse(session());
    EXPECT_EQ(ask(dse, "{}")["status"], "ok");  // it is under way, and waits for a line now
    dse.signal(signal);
    EXPECT_FALSE(dse.hear().has_value());
    EXPECT_EQ(dse.exit(), 130);
  }
}

TEST(Session, ItsOptionsAndThoseOfAPlanExcludeEachOther) {
  const std::vector<std::string> base = {"simulate", "--network", "ds-cnn", "--device", "gap8-class"};
  for (const auto& further : std::vector<std::vector<std::string>>{
           {}, {"--stdin", "--plan", "x.yaml"}, {"--verify", "--plan", "x.yaml"}, {"--lenient"}}) {
    auto arguments = base;
    arguments.insert(arguments.end(), further.begin(), further.end());
    EXPECT_EQ(dse(arguments).exit, 2) << testing::PrintToString(further);
  }
  EXPECT_EQ(dse({"simulate", "--network", "ds-cnn", "--device", "no-such", "--stdin"}).exit, 3);
}

TEST(Choices, AreListedForPeopleAndForPrograms) {
  const auto text = dse({"choices", "ds-cnn", "--device", "gap8-class"});
  ASSERT_EQ(text.exit, 0) << text.err;
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("conv0.scheme"), HasSubstr("interleaved planar"), HasSubstr("tile: output rows")));
  const auto listed = dse({"choices", "ds-cnn", "--device", "gap8-class", "--json"});
  ASSERT_EQ(listed.exit, 0) << listed.err;
  EXPECT_THAT(listed.err, IsEmpty());
  const auto j = json::parse(listed.out);
  ASSERT_GT(j["choices"].size(), 20u);
  // Every value can be said: alone it is right or does not apply, and then a lenient session leaves it out.
  Conversation strict(session()), lenient(session({"--lenient"}));
  const auto defaults = ask(strict, "{}");
  for (const auto& c : j["choices"]) {
    EXPECT_GE(c["values"].size(), 2u);
    for (const auto& v : c["values"]) {
      const json line = {{c["name"].get<std::string>(), v}};
      EXPECT_NE(ask(lenient, line.dump())["status"], "invalid") << line;
      if (c["conditional"] != false) continue;
      EXPECT_NE(ask(strict, line.dump())["status"], "invalid") << line;
    }
    if (c["default"].is_null()) continue;
    const json line = {{c["name"].get<std::string>(), c["default"]}};
    EXPECT_EQ(ask(lenient, line.dump()), defaults) << line;
  }
  EXPECT_EQ(dse({"choices", "ds-cnn"}).exit, 2);
  EXPECT_EQ(dse({"choices", "ds-cnn", "--device", "nonsense"}).exit, 3);
}

}  // namespace
}  // namespace dse::test::session_test
