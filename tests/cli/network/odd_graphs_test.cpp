// Odd graphs through the built program: an answer or one refusal, exit code 0 or 3, and never a defect.
#include "tests/verify/odd_graphs.h"

#include <gmock/gmock.h>

#include "models/nn/dsenet.h"
#include "tests/cli/process.h"

namespace dse::test::cli_odd_graphs_test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(OddGraphsInCommands, AnswerOrRefuse) {
  const Folder folder;
  int answered = 0, refused = 0;
  for (int way = 0; way < odd_ways(); ++way) {
    const auto g = odd_graph(static_cast<std::uint64_t>(way));  // one bend of the first network
    const auto bytes = nn::write_dsenet(g.network);
    const auto file = folder.write("odd.dsenet", std::string(bytes.begin(), bytes.end()));
    const std::vector<std::vector<std::string>> commands = {{"inspect", file},
                                                            {"infer", file, "--seed", "1", "-o", folder / "inferred"},
                                                            {"memory", file, "--device", "cortex-m7-class"},
                                                            {"run", file, "--device", "gap8-class", "--dry-run"}};
    int first = -1;
    for (const auto& command : commands) {
      const auto said = dse(command);
      EXPECT_TRUE(said.exit == 0 || said.exit == 3) << command[0] << g.what << ": " << said.exit << "\n" << said.err;
      EXPECT_THAT(said.err, Not(HasSubstr("a defect"))) << command[0] << g.what;
      EXPECT_EQ(said.exit == 3, !said.err.empty()) << command[0] << g.what << "\n" << said.err;
      if (first < 0) first = said.exit;
      EXPECT_EQ(said.exit, first) << command[0] << g.what << "\n" << said.err;
    }
    ++(first == 0 ? answered : refused);
  }
  EXPECT_GE(answered, 15);
  EXPECT_GE(refused, 15);
}

}  // namespace
}  // namespace dse::test::cli_odd_graphs_test
