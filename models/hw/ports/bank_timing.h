// Word-interleaved banks of a memory, and strides that meet in one of them.
//
// Word i of the memory lies in bank i mod B. In a cycle a port reaches as many banks as its width has words, a word of
// each. What lies without a gap is in that many banks one after the other, so that nothing waits. Runs narrower than
// the port are asked for together, as many as fill it; each takes whole words, and those that fall into the same bank
// take turns: the cycles of such a group are the words that the busiest bank has to give. With 16 banks of 4 bytes and
// a port of 32 bytes, eight words 68 bytes apart are there at once; 64 bytes apart they lie in one bank and take eight
// cycles; 128 bytes apart as well.
//
// Addresses stay out of it: the first run begins in bank 0. So a layer takes the same wherever its buffers lie.
#pragma once
#include <cstdint>

#include "models/hw/device.h"
#include "program/view.h"

namespace dse::hw {

class BankTiming {
 public:
  BankTiming() = default;
  explicit BankTiming(const Memory& memory);
  /// Some stride of this memory conflicts.
  bool conflicts() const { return words_ > 1; }
  /// Bytes that a port could have moved while it moves these: at least `bytes`, at most a word per cycle.
  std::int64_t port_bytes(std::int64_t bytes, const program::Spread& spread) const;

 private:
  std::int64_t word_ = 0, banks_ = 1;
  std::int64_t words_ = 1;  // of a port's cycle
};

}  // namespace dse::hw
