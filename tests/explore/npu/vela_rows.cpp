#include "tests/explore/npu/vela_rows.h"

#include "tests/nn/golden/golden.h"

namespace dse::explore::npu::test {

std::vector<Row> rows_of(const std::filesystem::path& file) {
  const auto bytes = nn::test::read_bytes(file);
  const std::string text(bytes.begin(), bytes.end());
  std::vector<Row> out;
  std::vector<std::string> header;
  std::string cell;
  std::vector<std::string> cells;
  bool quoted = false;
  for (const char ch : text) {
    if (ch == '"') {
      quoted = !quoted;
    } else if ((ch == ',' || ch == '\n') && !quoted) {
      cells.push_back(cell);
      cell.clear();
      if (ch == ',') continue;
      if (header.empty()) {
        header = cells;
      } else {
        Row row;
        for (std::size_t i = 0; i < cells.size() && i < header.size(); ++i)
          row.emplace(header[i], cells[i]);  // the first of a name counts
        out.push_back(std::move(row));
      }
      cells.clear();
    } else if (ch != '\r') {
      cell += ch;
    }
  }
  return out;
}

}  // namespace dse::explore::npu::test
