#include "models/hw/ethos_u/stream/stream_work.h"

#include <algorithm>
#include <string>

#include "base/units.h"
#include "models/hw/ethos_u/stream/walk.h"

namespace dse::hw::ethos_u {

namespace {

std::int64_t& at(std::array<std::int64_t, kAreas>& by_area, Area a) { return by_area[static_cast<std::size_t>(a)]; }

void add_kernel(const Npu& npu, const Registers& r, int number, StreamWork& all) {
  BlockConfig block;
  std::string why;
  const auto job = job_of(npu, r, block, why);
  if (!job || step_count(*job, block) > kMostSteps) return;  // the NPU stops there
  const Walk w = walk(npu, r, *job, block);
  Work out;
  for (const Step& s : w.steps) {
    at(out.read, s.ifm.area) += s.ifm.beats, at(out.read, s.ifm2.area) += s.ifm2.beats;
    at(out.read, w.weights) += ceil_div(s.weight_bytes, npu.acc().axi_bits / 8);
    out.mac_cycles += w.elementwise ? 0 : s.mac_cycles;
  }
  for (const OutputBlock& b : w.blocks) {
    at(out.written, b.ofm.area) += b.ofm.beats;
    out.output_cycles += b.output_cycles;
  }
  all.all += out;
  all.kernels.emplace_back(number, out);
}

}  // namespace

Work& Work::operator+=(const Work& o) {
  for (std::size_t a = 0; a < read.size(); ++a) read[a] += o.read[a], written[a] += o.written[a];
  mac_cycles += o.mac_cycles, output_cycles += o.output_cycles;
  return *this;
}

StreamWork work_of(const Npu& npu, std::span<const std::uint32_t> words) {
  StreamWork out;
  const std::int64_t beat = npu.acc().axi_bits / 8;
  for_each_operation(words, [&](const StreamCommand& c, const Registers& r) {
    if (c.op == OpCode::kernel) add_kernel(npu, r, static_cast<int>(c.value), out);
    if (c.op != OpCode::dma) return true;
    if (r[Register::dma_from_region] > 3 || r[Register::dma_to_region] > 3) return false;
    const std::int64_t beats = ceil_div(std::int64_t{r[Register::dma_length]}, beat);
    at(out.all.read, area_of(npu, static_cast<Region>(r[Register::dma_from_region]))) += beats;
    at(out.all.written, area_of(npu, static_cast<Region>(r[Register::dma_to_region]))) += beats;
    return true;
  });
  for (std::size_t from = 0; from < words.size(); from += kFetchWords)
    at(out.all.read, npu.constants()) +=
        ceil_div(static_cast<std::int64_t>(std::min(words.size() - from, kFetchWords)) * 4, beat);
  return out;
}

std::vector<std::uint32_t> words_of(std::span<const std::uint8_t> bytes) {
  std::vector<std::uint32_t> out(bytes.size() / 4);
  for (std::size_t i = 0; i < out.size(); ++i)
    for (std::size_t b = 0; b < 4; ++b) out[i] |= std::uint32_t{bytes[4 * i + b]} << (8 * b);
  return out;
}

std::vector<std::uint8_t> bytes_of(std::span<const std::uint32_t> words) {
  std::vector<std::uint8_t> out;
  for (const std::uint32_t w : words)
    for (int b = 0; b < 4; ++b) out.push_back(static_cast<std::uint8_t>(w >> (8 * b)));
  return out;
}

}  // namespace dse::hw::ethos_u
