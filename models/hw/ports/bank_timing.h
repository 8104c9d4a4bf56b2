// Word-interleaved banks of a memory, and strides that meet in one of them.
//
// Word i of the memory lies in bank i mod B. In a cycle a port reaches as many banks as its width has words, a word of
// each. What lies without a gap is in that many banks one after the other, so that nothing waits. Runs with
// gaps between take whole words each, and are asked for together. A port looks ahead as far as it must, so that what
// decides is either its width or the bank that has most of the words to give, one in a cycle. With 16 banks of 4 bytes
// and a port of 32 bytes, words 68 bytes apart come eight in a cycle; 64 bytes apart they lie in one bank and come one
// in a cycle, 128 bytes apart as well, 32 bytes apart two. So a wider port is never slower.
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
  /// Bytes that a port could have moved while it moves these: at least `bytes`; no slower than a word in a cycle.
  std::int64_t port_bytes(std::int64_t bytes, const program::Spread& spread) const;

 private:
  std::int64_t word_ = 0, banks_ = 1;
  std::int64_t words_ = 1;  // of a port's cycle
};

}  // namespace dse::hw
