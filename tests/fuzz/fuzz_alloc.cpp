// Any text is a table of buffers or a list of diagnostics; a table is written as it was read; and every layout of it,
// however little effort goes into it, is valid and not below its bound.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "plan/alloc/allocate.h"
#include "plan/alloc/csv.h"
#include "plan/alloc/validate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dse::plan::alloc;
  const std::string text(reinterpret_cast<const char*>(data), size);
  dse::Diagnostics diagnostics;
  const auto table = read_csv(text, "fuzz.csv", diagnostics);
  if (table.has_value() == diagnostics.has_errors()) std::abort();
  (void)diagnostics.text();
  if (!table) return 0;
  std::vector<Buffer> fixed;
  std::vector<std::int64_t> at;
  for (const Buffer& b : table->buffers)
    if (b.offset) fixed.push_back(b), at.push_back(*b.offset);
  if (!validate(fixed, at).valid()) return 0;
  Effort effort;
  effort.moves = 5, effort.nodes = 200;
  const Layout layout = allocate(table->buffers, {}, effort);
  const Verdict verdict = validate(table->buffers, layout.offsets);
  if (!verdict.valid() || verdict.height != layout.height || verdict.load != layout.load) std::abort();
  if (layout.load > layout.lower_bound || layout.lower_bound > layout.height) std::abort();
  if (allocate(table->buffers, layout.height, effort).height > layout.height) std::abort();
  dse::Diagnostics again;
  const auto back = read_csv(write_csv(table->buffers, layout.offsets), "written.csv", again);
  if (!back || back->buffers.size() != table->buffers.size()) std::abort();
  return 0;
}
