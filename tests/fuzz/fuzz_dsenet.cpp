// Any bytes as a .dsenet file: refused with a diagnostic or built and run, never a crash. The checksum and the lengths
// of the frame are made right, so that what is behind them is reached.
#include <cstdlib>

#include "models/nn/dsenet.h"
#include "run_small.h"

namespace {

std::uint32_t crc32(const std::vector<std::uint8_t>& bytes) {
  std::uint32_t crc = 0xffffffffu;
  for (const auto b : bytes) {
    crc ^= b;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

/// A text up to the first zero byte is the header, the rest the data.
std::vector<std::uint8_t> framed(const std::uint8_t* data, std::size_t size) {
  std::size_t header = 0;
  while (header < size && data[header] != 0) ++header;
  const std::size_t rest = header < size ? size - header - 1 : 0;
  std::vector<std::uint8_t> out{'D', 'S', 'E', 'N', 'E', 'T', '\r', '\n', 1, 0, 0, 0};
  for (int b = 0; b < 4; ++b) out.push_back(static_cast<std::uint8_t>(header >> (8 * b)));
  for (int b = 0; b < 8; ++b) out.push_back(static_cast<std::uint8_t>(std::uint64_t{rest} >> (8 * b)));
  out.insert(out.end(), data, data + header);
  if (rest) out.insert(out.end(), data + header + 1, data + size);
  const std::uint32_t crc = crc32(out);
  for (int b = 0; b < 4; ++b) out.push_back(static_cast<std::uint8_t>(crc >> (8 * b)));
  return out;
}

void try_import(const std::vector<std::uint8_t>& bytes) {
  dse::nn::LoadOptions options;
  options.allow_float = true;
  dse::Diagnostics diags;
  const auto network = dse::nn::import_dsenet(bytes, "fuzz.dsenet", diags, options);
  if ((network == nullptr) != diags.has_errors()) std::abort();
  if (!network) return;
  dse::nn::run_small(*network);
  // What was accepted can be written and read again.
  if (!dse::nn::import_dsenet(dse::nn::write_dsenet(*network), "again.dsenet", diags, options)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try_import({data, data + size});
  try_import(framed(data, size));
  return 0;
}
