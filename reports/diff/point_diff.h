// What changed between two measured points: cycles by layer and cause, bytes by memory and buffer, traffic and energy.
// Every table is in integers and adds up exactly to the difference of its total.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reports/diff/pair.h"
#include "reports/run/recorded.h"
#include "sim/measurement.h"

namespace dse::reports {

/// Which side has it.
enum class Presence { both, only_a, only_b };
const char* name_of(Presence p);  // "both", "only in A", "only in B"

struct LayerDiff {
  std::string name;            // "conv0", or "conv0 -> conv1" where the sides call it differently
  std::string name_a, name_b;  // its own on each side; empty = it has none there
  Presence presence = Presence::both;
  Pair cycles;                                                 // ticks of each side's own fastest clock
  std::array<Pair, sim::kCauses> causes;                       // add up to `cycles`
  Pair hidden_dma, macs, energy_fj;                            // hidden DMA: beside the cycles, not in them
  std::map<std::string, Pair> read, written;                   // bytes, by memory
  std::map<std::pair<std::string, std::string>, Pair> energy;  // femtojoules, by block and cause; add up to energy_fj
  std::vector<WordPair> choices;                               // that differ, by name; of layers on both sides only
  std::string segment_a, segment_b;                            // that it runs in by phases, on each side; empty = alone
};

/// "conv0", "conv0 (only in A)".
std::string name_of(const LayerDiff& l);

/// What takes energy: a block of the device and what it does. A side that does not take it apart tells what its
/// memories take by direction, and "arithmetic" of no block.
struct EnergyDiff {
  std::string block, cause;
  Pair fj;
};

/// Bytes of a buffer that are live at A's and at B's peak, alignment included.
struct BufferDiff {
  std::string name, role;
  Pair bytes;
};

/// arena = load + packing, on each side; the buffers live at the peak add up to the load.
struct MemoryDiff {
  std::string name;
  bool on_chip_a = false, on_chip_b = false;
  Presence presence = Presence::both;
  Pair size, arena, load, packing;    // packing: what the arena needs beyond the bytes alive at once
  std::string peak_a, peak_b;         // layers in which the load is reached (the same one where both have it)
  std::vector<BufferDiff> buffers;    // live at either peak
  std::map<std::string, Pair> roles;  // the same bytes, by role of the buffer
  Pair read, written, energy_fj;
};

/// The common unit of time of two clocks: their least common multiple, so that ticks of both are whole numbers of it.
struct TimeUnit {
  std::int64_t per_second = 0;  // 0 = the clocks have none within 64 bits: cycles only
  Pair per_tick;                // units in one tick of A and of B
  Pair of(const Pair& ticks) const { return {ticks.a * per_tick.a, ticks.b * per_tick.b}; }
};

/// The common unit of two clocks, for amounts of up to `ticks`; per_second = 0 where 64 bits do not hold it.
TimeUnit common_time(std::int64_t clock_a, std::int64_t clock_b, const Pair& ticks);

struct PointDiff {
  struct Side {
    std::string label;  // as the user named it
    std::string network, device, id, origin;
    std::int64_t clock_hz = 1;
    bool timed = false;
    bool energy = false;  // is known
  } a, b;
  std::vector<WordPair> circumstances;  // network, device, kernels, accuracy: those that differ
  bool timed = false;                   // both sides; else cycles, time, traffic and energy are zero
  TimeUnit time;
  Pair cycles, memory, load, energy_fj, traffic, program_bytes, tasks, macs, startup_bytes;
  std::array<Pair, sim::kCauses> causes;
  Pair arithmetic_fj;  // energy that is neither the memories' traffic nor leakage
  Pair leakage_fj;
  std::vector<EnergyDiff> energy;                        // where a side takes it apart; adds up to energy_fj
  std::vector<LayerDiff> layers;                         // in A's order, B's own ones where they stand there
  std::vector<WordPair> choices;                         // that differ and belong to no layer on both sides
  std::vector<MemoryDiff> memories;                      // in A's order, then those only in B
  std::map<std::string, std::array<double, 2>> metrics;  // measured on both sides, by name

  bool same_clock() const { return a.clock_hz == b.clock_hz; }
  /// Of both sides: else all energies are zero, and nothing is said of them.
  bool energy_known() const { return timed && a.energy && b.energy; }
  /// Nothing that was measured or chosen differs.
  bool equal() const;
};

/// @throws RecordError when a side lacks a field (it was written by an older version) or does not add up.
PointDiff diff_points(const RecordedPoint& a, const RecordedPoint& b);

}  // namespace dse::reports
