// Tables of what Arm's compiler said, row by row.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace dse::explore::npu::test {

using Row = std::map<std::string, std::string>;

/// Of a CSV file with quotes: cells by the name of their column.
std::vector<Row> rows_of(const std::filesystem::path& file);

}  // namespace dse::explore::npu::test
