// A schedule of an Ethos-U as sections of a program: invocations of the NPU and operators of the CPU, in the order in
// which they run, and what lies in memory meanwhile.
#pragma once
#include <string>
#include <vector>

#include "plan/npu/program/compiled.h"
#include "program/program.h"

namespace dse::plan::npu {

struct Section {
  bool on_npu = false;
  int number = 0;          // of the graph's segments, of its fallbacks
  int first = 0, end = 0;  // times of the schedule
};
std::vector<Section> sections_of(const Compiled& c);

/// Bytes of one memory that live from a section to another, at the times that windows give.
struct Range {
  std::string name;
  hw::ethos_u::Area area = hw::ethos_u::Area::sram;
  program::BufferRole role = program::BufferRole::scratch;
  std::int64_t offset = 0, size = 0;
  int first = 0, last = 0;  // sections
  int tensor = -1;          // of the network
  std::vector<program::BufferWindow> windows;
};
/// Tensors, buffers of weights and rolling buffers; ranges that share bytes in place are one.
std::vector<Range> ranges_of(const Compiled& c, const std::vector<Section>& sections);

/// What an invocation reads or writes: bytes of the areas, apart from each other among the reads and among the writes.
struct Touched {
  hw::ethos_u::Area area = hw::ethos_u::Area::sram;
  bool constants = false;  // offsets among the constants
  std::int64_t begin = 0, end = 0;
  bool write = false;
};
/// Of an invocation of the NPU.
std::vector<Touched> touched_by(const Compiled& c, int segment);

}  // namespace dse::plan::npu
