#include "base/yaml/yaml_node.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

namespace dse::yaml::yaml_node_test {
namespace {

using testing::HasSubstr;

std::string error_of(const std::string& text) {
  Diagnostics d;
  const auto n = parse(text, "f.yaml", d);
  EXPECT_EQ(n.has_value(), !d.has_errors());
  return d.text();
}

TEST(YamlNode, KnowsWhereEveryValueAndKeyStands) {
  Diagnostics d;
  const auto n = parse("a: 1\nb:\n  c: [x, 'y']\n", "f.yaml", d);
  ASSERT_TRUE(n);
  ASSERT_EQ(n->kind, Node::Kind::map);
  EXPECT_EQ(n->keys[1].line, 2);
  EXPECT_EQ(n->keys[1].column, 1);
  const Node* c = n->find("b")->find("c");
  ASSERT_NE(c, nullptr);
  ASSERT_EQ(c->kind, Node::Kind::list);
  EXPECT_EQ(c->items[1].text, "y");
  EXPECT_TRUE(c->items[1].quoted);
  EXPECT_FALSE(c->items[0].quoted);
  EXPECT_EQ(c->items[1].line, 3);
  EXPECT_EQ(c->items[1].column, 10);
  EXPECT_EQ(c->items[1].where().file, "f.yaml");
}

TEST(YamlNode, KeepsBothOfTwoEqualKeys) {
  Diagnostics d;
  const auto n = parse("a: 1\na: 2\n", "f.yaml", d);
  ASSERT_TRUE(n);
  EXPECT_EQ(n->keys.size(), 2u);
}

TEST(YamlNode, SyntaxErrorsHaveLineAndColumn) {
  EXPECT_THAT(error_of("a: [1, 2\nb: 3\n"), testing::StartsWith("f.yaml:2:2: error: not YAML"));
  EXPECT_EQ(error_of("b: 'it''s'\na: 'x\nc: \"y\n"), "f.yaml:2:4: error: not YAML: this quote is never closed\n");
  EXPECT_EQ(error_of("\xEF\xBB\xBF"
                     "a: \"x\\\"\n"),
            "f.yaml:1:4: error: not YAML: this quote is never closed\n");
  EXPECT_EQ(error_of("a: \"x\\\"\"\nb: 'it''s'\nc: don't\n"), "");
  EXPECT_THAT(error_of("a: 1\n---\nb: 2\n"), HasSubstr("more than one YAML document"));
}

TEST(YamlNode, TagsAndCompositeKeysAreRefused) {
  EXPECT_THAT(error_of("a: !!python/object 1\n"), HasSubstr("f.yaml:1:"));
  EXPECT_THAT(error_of("? [a, b]\n: 1\n"), HasSubstr("a list cannot be a key"));
}

TEST(YamlNode, AliasesAreCopies) {
  Diagnostics d;
  const auto n = parse("a: &x {k: 1}\nb: *x\n", "f.yaml", d);
  ASSERT_TRUE(n) << d.text();
  EXPECT_EQ(n->find("b")->find("k")->text, "1");
  EXPECT_EQ(n->find("b")->line, 2);
}

TEST(YamlNode, AnAliasBombIsRefusedQuickly) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const auto last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int k = 1; k < 10; ++k) bomb += ", " + last;
    bomb += "]\n";
  }
  EXPECT_THAT(error_of(bomb), HasSubstr("a million nodes"));
}

TEST(YamlNode, ALongTextCannotBeMultipliedForFree) {
  std::string bomb = "a: &a " + std::string(1000000, 'x') + "\nb:\n";
  for (int i = 0; i < 1000; ++i) bomb += "- *a\n";
  EXPECT_THAT(error_of(bomb), HasSubstr("a million nodes"));
}

TEST(YamlNode, AnAnchorThatContainsItselfIsRefused) {
  EXPECT_THAT(error_of("a: &a [*a]\n"), HasSubstr("inside its own anchor"));
}

TEST(YamlNode, DeepNestingIsRefused) {
  EXPECT_EQ(error_of(std::string(max_depth, '[') + std::string(max_depth, ']')), "");
  EXPECT_THAT(error_of(std::string(max_depth + 1, '[') + std::string(max_depth + 1, ']')),
              HasSubstr("nested deeper than 64"));
  EXPECT_THAT(error_of(std::string(100000, '[')), HasSubstr("f.yaml:1:"));
  std::string maps;
  for (int i = 0; i < 100; ++i) maps += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_THAT(error_of(maps), HasSubstr("nested deeper than 64"));
}

TEST(YamlNode, DepthThroughAliasesCountsToo) {
  std::string text = "a: &a " + std::string(40, '[') + std::string(40, ']') + "\nb: " + std::string(40, '[') + "*a" +
                     std::string(40, ']') + "\n";
  EXPECT_THAT(error_of(text), HasSubstr("nested deeper than 64"));
}

TEST(YamlNode, ATabInTheIndentationIsCalledATab) {
  const std::string said = ": error: a tab character: YAML indents with spaces\n";
  EXPECT_EQ(error_of("a:\n\tb: 1\n"), "f.yaml:2:1" + said);
  EXPECT_EQ(error_of("a:\n  b: 1\n \t c: 1\n"), "f.yaml:3:2" + said);
  EXPECT_EQ(error_of("\ta: 1\n"), "f.yaml:1:1" + said);
  EXPECT_EQ(error_of("a:\n\t- 1\n"), "f.yaml:2:1" + said);
  EXPECT_EQ(error_of("a: [1,\n\t2]\n\t# fine here\n\t\nb:\t3\n"), "") << "where indentation means nothing";
}

/// Every indented line of a document in turn, with a tab instead of its spaces.
TEST(YamlNode, ATabIsNamedInWhicheverLineItStands) {
  const std::vector<std::string> lines = {
      "name: x",       "memories:",  "  l1: {size: 1}", "  l2:",          "    size: 2",   "    width: 3", "engines:",
      "  - kind: dma", "    links:", "      - [a, b]",  "      - [c, d]", "  - kind: cpu", "    text: 'y'"};
  int named = 0;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    if (lines[at][0] != ' ') continue;
    std::string text;
    for (std::size_t i = 0; i < lines.size(); ++i)
      text += (i == at ? "\t" + lines[i].substr(lines[i].find_first_not_of(' ')) : lines[i]) + "\n";
    Diagnostics d;
    if (parse(text, "f.yaml", d)) continue;  // a text that goes on in the next line
    ++named;
    EXPECT_EQ(d.text(), "f.yaml:" + std::to_string(at + 1) + ":1: error: a tab character: YAML indents with spaces\n")
        << text;
  }
  EXPECT_GE(named, 10);
}

TEST(YamlNode, ArbitraryTextNeverDoesMoreThanFail) {
  std::mt19937 random(1);
  const std::string alphabet = "ab:-[]{}&*!|>'\"#%@`?,\n \t0~<";
  for (int i = 0; i < 3000; ++i) {
    std::string text(random() % 60, ' ');
    for (auto& c : text) c = alphabet[random() % alphabet.size()];
    Diagnostics d;
    const bool parsed = parse(text, "f.yaml", d).has_value();
    EXPECT_EQ(parsed, !d.has_errors()) << text;
  }
}

TEST(YamlFile, SaysWhatCannotBeRead) {
  const auto folder = std::filesystem::temp_directory_path() / ("dse_yaml_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  Diagnostics d;
  EXPECT_FALSE(load((folder / "none.yaml").string(), d));
  EXPECT_FALSE(load(folder.string(), d));
  const auto large = folder / "large.yaml";
  std::ofstream(large) << "a: 1\n";
  EXPECT_EQ(load(large.string(), d), "a: 1\n");
  std::filesystem::resize_file(large, max_file_bytes + 1);  // sparse
  EXPECT_FALSE(load(large.string(), d));
  EXPECT_THAT(d.text(), testing::AllOf(HasSubstr("no such file"), HasSubstr("not a regular file"),
                                       HasSubstr("larger than 64 MiB")));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace dse::yaml::yaml_node_test
