#include "tests/hw/generated/generated.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace dse::hw::test {

std::string content(const std::filesystem::path& file) {
  std::ostringstream out;
  out << std::ifstream(file, std::ios::binary).rdbuf();
  return out.str();
}

void expect_up_to_date(const std::filesystem::path& file, const std::string& expected) {
  if (std::getenv("DSE_UPDATE") != nullptr) std::ofstream(file, std::ios::binary) << expected;
  EXPECT_TRUE(content(file) == expected) << file << " is out of date: run this test with DSE_UPDATE=1";
}

void expect_reference_up_to_date(const std::filesystem::path& page, const std::string& reference) {
  const std::string mark = "<!-- generated: every field -->\n";
  const auto text = content(page);
  const auto at = text.find(mark);
  ASSERT_NE(at, std::string::npos);
  expect_up_to_date(page, text.substr(0, at) + mark + "\n" + reference);
}

}  // namespace dse::hw::test
