// Any bytes on standard input are lines, each an assignment or one that is told what is wrong with it; how the bytes
// were cut into pieces does not matter.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "explore/ask/evaluate.h"

namespace {

using namespace dse::explore;

std::vector<Line> lines_of(std::string_view bytes, std::size_t piece) {
  LineReader reader;
  std::vector<Line> out;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    reader.feed(bytes.substr(at, piece));
    while (auto line = reader.next()) out.push_back(std::move(*line));
  }
  reader.finish();
  while (auto line = reader.next()) out.push_back(std::move(*line));
  return out;
}

void check(const Line& line) {
  dse::Diagnostics diagnostics;
  Evaluation answer;
  AssignmentLine read;
  const bool good = read_assignment_line(line.text, read, diagnostics);
  if (good == diagnostics.has_errors()) std::abort();
  for (const auto& d : diagnostics.list())
    if (d.where.column < 1 || d.where.column > static_cast<int>(line.text.size()) + 1) std::abort();
  answer.status = good ? Evaluation::Status::ok : Evaluation::Status::invalid;
  answer.id = read.id;
  answer.errors = diagnostics.list();
  answer.assignment = read.choices;
  const auto text = to_json(answer);
  if (text.find('\n') != std::string::npos) std::abort();
  if (!good) return;
  // What was understood and is told back means the same when it comes in again.
  AssignmentLine again;
  const auto at = text.find("\"assignment\":");
  if (at == std::string::npos) {
    if (!read.choices.empty()) std::abort();
    return;
  }
  const auto begin = at + 13;
  dse::Diagnostics none;
  if (!read_assignment_line(std::string_view(text).substr(begin, text.size() - 1 - begin), again, none)) std::abort();
  if (again.choices != read.choices || !again.device.empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto whole = lines_of(bytes, std::max<std::size_t>(1, size));
  const auto cut = lines_of(bytes, 1 + size % 7);
  if (whole.size() != cut.size()) std::abort();
  for (std::size_t i = 0; i < whole.size(); ++i)
    if (whole[i].text != cut[i].text || whole[i].too_long != cut[i].too_long) std::abort();
  for (const auto& line : whole) check(line);
  return 0;
}
