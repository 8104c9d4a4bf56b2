#include "models/hw/ethos_u/pmu.h"

namespace dse::hw::ethos_u {

const char* name_of(Wait w) {
  static const char* const words[] = {"busy",    "commands",     "setup",        "blockdep",      "input",
                                      "weights", "accumulators", "input_buffer", "output_buffer", "memory",
                                      "dma",     "kernels",      "done"};
  return words[static_cast<int>(w)];
}

const char* name_of(Part p) {
  static const char* const words[] = {"central_control", "dma",         "input",        "weight_decoder",
                                      "mac_unit",        "output_unit", "output_writer"};
  return words[static_cast<int>(p)];
}

PmuCounts& PmuCounts::operator+=(const PmuCounts& one) {
  active += one.active, beat_bytes = one.beat_bytes;
  for (std::size_t p = 0; p < axi.size(); ++p)
    axi[p].read_beats += one.axi[p].read_beats, axi[p].written_beats += one.axi[p].written_beats,
        axi[p].transactions += one.axi[p].transactions;
  for (std::size_t p = 0; p < time.size(); ++p)
    for (std::size_t w = 0; w < time[p].size(); ++w) time[p][w] += one.time[p][w];
  mac_active_8 += one.mac_active_8, mac_active_16 += one.mac_active_16;
  return *this;
}

}  // namespace dse::hw::ethos_u
