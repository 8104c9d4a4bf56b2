// Any text is a sweep or a list of diagnostics, never anything else; and a sweep that is written reads back as itself.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "explore/question/files/sweep_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  dse::Diagnostics diagnostics;
  const auto sweep = dse::explore::read_sweep_text(text, "fuzz.yaml", diagnostics);
  if (sweep.has_value() == diagnostics.has_errors()) std::abort();
  (void)diagnostics.text();
  if (!sweep) return 0;
  dse::Diagnostics again;
  const auto written = dse::explore::write_sweep(*sweep);
  const auto back = dse::explore::read_sweep_text(written, "written.yaml", again);
  if (!back || dse::explore::write_sweep(*back) != written) std::abort();
  return 0;
}
