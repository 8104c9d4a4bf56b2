// Help for a command, misspelt words, and the lists of what is shipped.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace dse::test::help_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST(Help, EveryCommandHasTheSameHelpBothWays) {
  const auto all = commands();
  EXPECT_GT(all.size(), 15u);
  for (const auto& command : all) {
    const auto help = dse({"help", command});
    EXPECT_EQ(help.exit, 0) << command;
    EXPECT_THAT(help.out, HasSubstr("Usage: dse " + command));
    EXPECT_EQ(help.out, dse({command, "--help"}).out);
  }
  EXPECT_EQ(dse({"help"}).out, dse({"--help"}).out);
  EXPECT_THAT(dse({"help", "study", "show"}).out, HasSubstr("Usage: dse study show"));
}

TEST(Help, ThereIsNoneForWhatThereIsNot) {
  const auto wrong = dse({"help", "runn"});
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_THAT(wrong.out, IsEmpty());
  EXPECT_EQ(wrong.err, "dse: error: no command 'runn'; did you mean run?\n");
  EXPECT_EQ(dse({"help", "study", "shw"}).err, "dse: error: no command 'shw'; did you mean show?\n");
  EXPECT_EQ(dse({"help", "run", "x"}).err, "dse: error: dse run has no commands of its own\n");
}

TEST(Help, AMisspeltCommandSuggestsTheNearest) {
  int n = 0;
  for (const auto& command : commands()) {
    if (command.size() < 4) continue;  // one letter is more than a third
    const std::vector<std::string> slips = {command.substr(0, command.size() - 1), "x" + command,
                                            command.substr(0, 1) + command[2] + command[1] + command.substr(3)};
    const auto& slip = slips[static_cast<std::size_t>(n++ % 3)];
    if (slip == command) continue;  // two letters alike
    const auto said = dse({slip, "resnet8", "-o", "x"});
    EXPECT_EQ(said.exit, 2);
    EXPECT_THAT(said.err, StartsWith("dse: error: no command '" + slip + "'; did you mean " + command + "?")) << slip;
  }
  EXPECT_THAT(dse({"rnu", "resnet8"}).err, HasSubstr("did you mean run?"));
  EXPECT_THAT(dse({"--log-level", "warn", "exprot"}).err, HasSubstr("did you mean export?"));
  EXPECT_THAT(dse({"study", "exprt", "x"}).err, HasSubstr("no command 'exprt'; did you mean export?"));
  EXPECT_THAT(dse({"xyzzy"}).err, AllOf(HasSubstr("no command 'xyzzy'; there is run, "), HasSubstr("or help")));
  EXPECT_THAT(dse({"run", "resnet8", "--devise", "gap8-class"}).err, HasSubstr("'--devise'; did you mean --device?"));
}

TEST(Catalogue, ListsWhatCanBeCalledByName) {
  for (const char* what : {"devices", "networks"}) {
    const auto text = dse({what});
    const auto j = json::parse(dse({what, "--json"}).out);
    EXPECT_EQ(text.exit, 0);
    ASSERT_GE(j.size(), 4u);
    EXPECT_EQ(static_cast<std::size_t>(std::count(text.out.begin(), text.out.end(), '\n')), j.size());
    for (const auto& one : j) EXPECT_THAT(text.out, HasSubstr(one["name"].get<std::string>() + " "));
  }
  EXPECT_THAT(dse({"networks"}).out, HasSubstr("12,501,632 multiply-accumulates"));
  EXPECT_THAT(dse({"devices"}).out, HasSubstr("l1 64 KiB"));
  EXPECT_EQ(dse({"inspect", json::parse(dse({"networks", "--json"}).out)[0]["name"].get<std::string>()}).exit, 0);
}

}  // namespace
}  // namespace dse::test::help_test
