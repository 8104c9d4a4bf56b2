#include <fmt/format.h>

#include <algorithm>

#include "base/diagnostics.h"
#include "plan/alloc/csv.h"

namespace dse::plan::alloc {

std::string write_csv(const std::vector<Buffer>& buffers, const std::vector<std::int64_t>& offsets) {
  ensure(buffers.size() == offsets.size(), "alloc: not one offset per buffer");
  const bool alignments = std::any_of(buffers.begin(), buffers.end(), [](const Buffer& b) { return b.alignment != 1; });
  const bool gaps = std::any_of(buffers.begin(), buffers.end(), [](const Buffer& b) { return !b.gaps.empty(); });
  std::string out =
      fmt::format("id,lower,upper,size{}{},offset\n", alignments ? ",alignment" : "", gaps ? ",gaps" : "");
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const Buffer& b = buffers[i];
    out += fmt::format("{},{},{},{}", b.id, b.lower, b.upper, b.size);
    if (alignments) out += fmt::format(",{}", b.alignment);
    if (gaps) out += ',';
    for (std::size_t k = 0; k < b.gaps.size(); ++k) {
      const Gap& g = b.gaps[k];
      out += fmt::format("{}{}-{}", k ? " " : "", g.lower, g.upper);
      if (g.end > g.begin) out += fmt::format("@{}:{}", g.begin, g.end);
    }
    out += fmt::format(",{}\n", offsets[i]);
  }
  return out;
}

}  // namespace dse::plan::alloc
