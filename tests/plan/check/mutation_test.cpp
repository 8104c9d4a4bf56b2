#include "tests/plan/check/mutation.h"

#include <gtest/gtest.h>

#include <iostream>
#include <numeric>

#include "plan/check/check.h"
#include "tests/plan/tiny_programs.h"

namespace dse::test::mutation_test {
namespace {

TEST(Mutation, NoFaultInATiledCopyGoesUnnoticed) {
  MutationSubject s;
  s.make = tiled_copy_program;
  s.device = tiny_device();
  s.inputs = {std::vector<std::uint8_t>(128)};
  std::iota(s.inputs[0].begin(), s.inputs[0].end(), std::uint8_t{1});
  s.expected = s.inputs;
  const auto report = judge_mutants(s, reference(Interleaving::random, 7), 1000, 1);
  std::cout << report.table();
  EXPECT_EQ(report.total(), 1000);
  EXPECT_TRUE(report.missed.empty()) << report.missed.front();
}

}  // namespace
}  // namespace dse::test::mutation_test
