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

}  // namespace dse::hw::ethos_u
