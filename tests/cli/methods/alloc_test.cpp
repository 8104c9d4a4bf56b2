// dse alloc: what it prints and writes, exit codes, refusals. The example of docs/memory/alloc.md has a test of its
// own.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace dse::test::cli_alloc_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kBuffers = "id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\nb3,0,9,4\nb4,9,21,4\nb5,0,21,4\n";

TEST(Alloc, JsonAndTheFileAgree) {
  const Folder folder;
  const auto in = folder.write("in.csv", kBuffers);
  const auto said = dse({"alloc", in, "--capacity", "12", "--json", "-o", folder / "out.csv"});
  ASSERT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.err, IsEmpty());
  const auto j = json::parse(said.out);
  EXPECT_EQ(j["arena_bytes"], 12);
  EXPECT_EQ(j["load_bytes"], 12);
  EXPECT_EQ(j["lower_bound_bytes"], 12);
  EXPECT_EQ(j["capacity_bytes"], 12);
  EXPECT_TRUE(j["optimal"] && j["fits"]);
  std::string expected = "id,lower,upper,size,offset\n";
  std::istringstream rows(kBuffers);
  std::string row;
  std::getline(rows, row);
  for (const auto& b : j["buffers"]) {
    std::getline(rows, row);
    EXPECT_TRUE(row.starts_with(b["id"].get<std::string>() + ","));
    expected += row + "," + std::to_string(b["offset"].get<int>()) + "\n";
  }
  EXPECT_EQ(read(folder / "out.csv"), expected);
}

TEST(Alloc, WhatItWroteIsCheckedWhenItIsGivenBack) {
  const Folder folder;
  folder.write("in.csv", kBuffers);
  const auto written = dse({"alloc", "in.csv", "-o", "-"}, folder.path());
  ASSERT_EQ(written.exit, 0) << written.err;
  folder.write("out.csv", written.out);
  EXPECT_EQ(dse({"alloc", "out.csv", "-o", "-"}, folder.path()).out, written.out);
  folder.write("wrong.csv", "id,lower,upper,size,offset\na,0,3,4,0\nb,2,5,4,3\nc,5,6,4,1\n");
  const auto refused = dse({"alloc", "wrong.csv"}, folder.path());
  EXPECT_EQ(refused.exit, 3);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("wrong.csv:2: error: fixed buffers 'a' and 'b' share bytes at step 2"),
                                 HasSubstr("--free")));
  EXPECT_EQ(dse({"alloc", "wrong.csv", "--free"}, folder.path()).exit, 0);
}

TEST(Alloc, CapacitiesThatCannotBeMet) {
  const Folder folder;
  folder.write("in.csv", kBuffers);
  const auto proven = dse({"alloc", "in.csv", "--capacity", "11", "--json"}, folder.path());
  EXPECT_EQ(proven.exit, 4);
  EXPECT_THAT(proven.err, HasSubstr("no layout fits into 11 bytes; the best layout found has 12 bytes"));
  EXPECT_EQ(json::parse(proven.out)["arena_bytes"], 12);
  EXPECT_FALSE(json::parse(proven.out)["fits"]);
  folder.write("hard.csv",
               "id,lower,upper,size\na,0,1,2\nb,0,1,3\nc,0,2,1\nd,1,2,3\ne,1,3,1\nf,1,4,1\ng,2,4,2\nh,2,3,2\ni,3,5,3\n"
               "j,4,5,3\n");
  const auto load = json::parse(dse({"alloc", "hard.csv", "--json"}, folder.path()).out);
  EXPECT_TRUE(load["optimal"]);
  EXPECT_GT(load["lower_bound_bytes"], load["load_bytes"]);
  const auto none = dse({"alloc", "hard.csv", "--capacity", load["load_bytes"].dump(), "--nodes", "0"}, folder.path());
  EXPECT_EQ(none.exit, 6);
  EXPECT_THAT(none.err, HasSubstr("found within the given effort"));
  EXPECT_EQ(dse({"alloc", "hard.csv", "--capacity", load["load_bytes"].dump()}, folder.path()).exit, 4);
}

TEST(Alloc, BadInputAndUsage) {
  const Folder folder;
  folder.write("bad.csv", "id,lower,upper,size\na,0,x,4\n");
  const auto bad = dse({"alloc", "bad.csv"}, folder.path());
  EXPECT_EQ(bad.exit, 3);
  EXPECT_EQ(bad.err, "bad.csv:2:5: error: upper 'x' is not a whole number from 0 to 2^56\n");
  EXPECT_EQ(dse({"alloc", "absent.csv"}, folder.path()).exit, 3);
  EXPECT_EQ(dse({"alloc"}).exit, 2);
  EXPECT_EQ(dse({"alloc", "bad.csv", "--capacity", "-1"}, folder.path()).exit, 2);
  EXPECT_EQ(dse({"alloc", "bad.csv", "--json", "-o", "-"}, folder.path()).exit, 2);
}

}  // namespace
}  // namespace dse::test::cli_alloc_test
