// Any text is a table of measurements with cycles above 0, of networks that are there or said in words, or a list of
// diagnostics.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "explore/calibrate/measured.h"
#include "models/nn/import.h"

namespace {

dse::nn::NetworkPtr one() {
  dse::Diagnostics d;
  return dse::nn::import_yaml(
      "format: 1\nname: one\nseed: 1\ninput: {shape: [1, 4], scale: 0.1, zero_point: 0}\nlayers:\n  - fully_connected: "
      "{name: fc, units: 2}\n",
      "one.yaml", d);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto network = one();
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto read = [](const std::string& name, dse::Diagnostics&) { return name == "one" ? network : nullptr; };
  for (const bool some : {false, true}) {
    dse::Diagnostics diagnostics;
    dse::explore::RowChoice choice;
    if (some) choice.where.push_back(*dse::explore::condition_of("board~a"));
    const auto rows = dse::parse_csv(text, "fuzz.csv", diagnostics);
    const auto table = rows ? dse::explore::read_measured(*rows, "fuzz.csv", choice, read, diagnostics) : std::nullopt;
    if (table.has_value() == diagnostics.has_errors()) std::abort();
    (void)diagnostics.text();
    if (!table) continue;
    if (table->rows.empty()) std::abort();
    for (const auto& row : table->rows)
      if (!(row.cycles > 0) || row.op >= 1 || row.op < -1 || row.line < 1 || !row.network || row.about.empty())
        std::abort();
  }
  return 0;
}
