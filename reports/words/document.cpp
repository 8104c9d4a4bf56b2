#include "reports/words/document.h"

#include <fmt/format.h>

#include <algorithm>

namespace dse::reports {
namespace {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '\\' || c == '<' || c == '*' || c == '_' || c == '`') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string as_markdown(const Table& t) {
  std::string out = "|", rule = "|";
  for (const auto& c : t.columns) out += " " + escaped(c.title) + " |", rule += c.right ? "---:|" : "---|";
  out += "\n" + rule + "\n";
  for (const auto& r : t.rows) {
    const bool bold = t.total && &r == &t.rows.back();
    out += "|";
    for (const auto& cell : r)
      out += cell.empty() ? " |" : bold ? " **" + escaped(cell) + "** |" : " " + escaped(cell) + " |";
    out += "\n";
  }
  return out;
}

}  // namespace

std::string as_text(const Table& t) {
  std::vector<std::size_t> widths;
  for (const auto& c : t.columns) widths.push_back(c.title.size());
  for (const auto& r : t.rows)
    for (std::size_t i = 0; r.size() == widths.size() && i < r.size(); ++i)
      widths[i] = std::max(widths[i], r[i].size());
  std::string out;
  const auto row = [&](const auto& cell) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i)
      line += t.columns[i].right ? fmt::format("  {:>{}}", cell(i), widths[i])
                                 : fmt::format("  {:<{}}", cell(i), widths[i]);
    line.resize(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  row([&](std::size_t i) { return t.columns[i].title; });
  for (const auto& r : t.rows)
    if (r.size() < widths.size())
      out += "  " + r[0] + "\n";
    else
      row([&](std::size_t i) { return r[i]; });
  return out;
}

void Document::heading(std::string text) { blocks_.push_back({Block::Kind::heading, std::move(text), {}}); }
void Document::line(std::string text) { blocks_.push_back({Block::Kind::line, std::move(text), {}}); }
void Document::table(Table table) {
  if (!table.rows.empty()) blocks_.push_back({Block::Kind::table, "", std::move(table)});
}

std::string Document::text() const {
  std::string out;
  for (const auto& b : blocks_) {
    if (b.kind == Block::Kind::heading) out += (out.empty() ? "" : "\n") + b.text + "\n";
    if (b.kind == Block::Kind::line) out += b.text + "\n";
    if (b.kind == Block::Kind::table) out += as_text(b.table);
  }
  return out;
}

std::string Document::markdown() const {
  std::string out;
  for (const auto& b : blocks_) {
    out += out.empty() ? "" : "\n";
    if (b.kind == Block::Kind::heading) out += "### " + escaped(b.text) + "\n";
    if (b.kind == Block::Kind::line) out += escaped(b.text) + "\n";
    if (b.kind == Block::Kind::table) out += as_markdown(b.table);
  }
  return out;
}

}  // namespace dse::reports
