// Headings, sentences and tables, written for a terminal or as GitHub-flavoured Markdown.
#pragma once
#include <string>
#include <vector>

namespace dse::reports {

struct Table {
  struct Column {
    std::string title;
    bool right = true;  // numbers
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows{};  // as many cells as columns; one: a heading across them, in text
  bool total = false;                            // the last row is the sum of the others
};

std::string as_text(const Table& t);

class Document {
 public:
  void heading(std::string text);
  /// A sentence of its own; successive ones are lines of one paragraph on a terminal.
  void line(std::string text);
  /// Nothing for a table without rows.
  void table(Table table);
  std::string text() const;
  std::string markdown() const;

 private:
  struct Block {
    enum class Kind { heading, line, table } kind;
    std::string text;
    Table table;
  };
  std::vector<Block> blocks_;
};

}  // namespace dse::reports
