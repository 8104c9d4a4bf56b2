// What kernels and copies of a command stream are asked to do on real bytes.
#pragma once
#include "models/hw/ethos_u/stream/commands.h"

namespace dse::hw::ethos_u {

/// Does what a kernel or a copy of the stream means on real bytes, when it has ended.
class StreamBytes {
 public:
  virtual ~StreamBytes() = default;
  virtual bool kernel(const Registers& r, int number) = 0;
  virtual bool copy(const Registers& r) = 0;
};

}  // namespace dse::hw::ethos_u
