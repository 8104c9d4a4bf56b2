// What a sweep found: the data that reports, files and the console are written from.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "explore/question/costs.h"
#include "explore/question/sweep.h"
#include "models/nn/graph/align.h"
#include "program/program.h"
#include "sim/measurement.h"

namespace dse::explore {

/// Bytes [begin, end) of a buffer, counted from its start, are in use from one tick to another.
struct LifeWindow {
  std::int64_t from_tick = 0, to_tick = 0;
  std::int64_t begin = 0, end = 0;
};

/// A named byte range over time, for the memory map.
struct BufferLife {
  std::string name, role, memory;
  std::int64_t offset = 0, size = 0;
  std::int64_t from_tick = 0, to_tick = 0;
  int first = 0, last = 0;   // rows of the account that it lives through, inclusive
  std::int64_t counted = 0;  // bytes that the load counts: `size` with what alignment adds
  std::string tensor;  // whose bytes these are: "output of conv3", "input 0", "state of lstm"; empty for a layer's own
  /// Where it does not take all of its bytes all the time: what it takes, over its whole life, by tick.
  std::vector<LifeWindow> windows{};
  struct AtPeak {
    std::int64_t row = 0, bytes = 0;
  };
  /// Of every section in which it does not count as `counted`: its first row, and the bytes that this buffer counts
  /// when that section needs most of this memory. Bytes that an operator takes over in place count for whose they were.
  std::vector<AtPeak> at_peak{};
  std::int64_t unit = 1;  // bytes that are counted together, from the end of the constants image on
};

/// What one layer moves and computes, over all its tasks; the layers add up to the run's totals.
struct LayerUse {
  struct Moved {
    std::int64_t read = 0, written = 0;  // bytes
  };
  std::vector<Moved> memories;  // per memory of the device
  std::int64_t macs = 0;
  std::int64_t energy_fj = 0;  // femtojoules
  sim::Energy energy{};        // the same by cause; empty as that of the run (sim::RunResult)
};

/// What a section, a layer or a segment that runs by phases, does in which time, and what it would take at least.
struct Roofline {
  struct Port {
    std::int64_t bytes = 0;  // read and written
    std::int64_t ticks = 0;  // that all ports of the memory take for them
  };
  std::int64_t macs = 0;        // products of its operators; what is computed again counts once
  std::int64_t ticks = 0;       // from the end of the section before to its own
  std::int64_t arithmetic = 0;  // ticks: no tiling of its operators takes less on their engine
  std::vector<Port> memories;   // per memory of the device

  /// Ticks if its arithmetic and all its bytes overlapped perfectly.
  std::int64_t roof() const {
    std::int64_t longest = arithmetic;
    for (const auto& m : memories) longest = std::max(longest, m.ticks);
    return longest;
  }
  /// The memory that the roof comes from; -1: arithmetic.
  int bound() const {
    for (std::size_t m = 0; m < memories.size(); ++m)
      if (memories[m].ticks > arithmetic && memories[m].ticks == roof()) return static_cast<int>(m);
    return -1;
  }
};

/// One simulated whole-network plan.
struct Point {
  std::string id;                  // short hash of the plan
  std::string origin;              // "front", "rule-based" (which, in brackets), "TFLM today", "as in the file", "user"
  std::vector<std::string> marks;  // "smallest", "knee", "fastest"
  std::int64_t memory_bytes = 0;   // sum of on-chip arenas
  std::int64_t load_bytes =
      0;  // sum over on-chip memories of the highest live bytes (a bound, never mixed with the above)
  Costs costs = every_cost(-1);  // what fronts are selected by; the next three say the same as reports do
  std::int64_t latency_ticks = 0;
  double latency_us = 0;
  std::optional<double> energy_uj{};      // not known: then no other field but `costs` tells anything of energy
  std::map<std::string, double> metrics;  // every further metric by name
  std::int64_t bound_ticks = 0;           // admissible bound of this plan's latency
  std::int64_t program_bytes = 0;         // encoded program
  std::int64_t tasks = 0, startup_bytes = 0;
  bool verified = false;  // simulated bytes equal the interpreter's
  /// Why the certificate of its front does not cover it: "by phases", "in place", "given". Empty: it does.
  std::string outside;
  bool on_npu = false;  // some of its segments run on an NPU
  /// Id of a smaller point of the front that is slower by less than the device's timing error: the times do not tell
  /// the two apart. Empty: there is none, or no such error.
  std::string as_fast_as{};
  std::string plan_file;                 // relative to the output folder
  std::vector<std::string> words;        // the plan in words, one line per layer
  std::vector<std::string> sections;     // names; a segment's says which layers run by phases. Empty: those of `layers`
  std::vector<std::string> layers;       // names, per row of the account: those of the sections' layers, in order
  std::vector<std::string> layer_kinds;  // operator keys, per row of the account
  std::vector<std::string> file_names{};  // what the network's file calls their outputs; empty where that is the same
  std::vector<BufferLife> buffers;
  std::map<std::string, std::string> assignment;  // the plan's choices by name: "conv3.scheme" -> "planar"
  // Reported points only:
  std::vector<LayerUse> uses;             // per row of the account
  std::vector<Roofline> rooflines;        // per section
  std::vector<std::int64_t> loads;        // per memory: highest live bytes
  std::vector<std::int64_t> energies_fj;  // per memory: of its traffic; the rest is arithmetic, or the run's `energy`
  std::vector<std::int64_t> images;       // per memory: bytes of the constants image there
  sim::RunResult run;                     // accounts, engines, memories, trace

  /// Its energy is not known: takes it out of every field that is shown.
  void forget_energy();
};

struct MemoryInfo {
  std::string name;
  std::int64_t size = 0, reserved = 0;
  bool on_chip = false;
};

/// LeftOut::why.
constexpr const char* kOutOfMemory = "out of memory";

/// A candidate that is no point through no fault of its own: it is named, and everything else goes on without it.
struct LeftOut {
  std::string what;        // "composed plan", "plan by phases", "rule-based", "user", "schedule of conv1"
  std::string plan;        // id; empty where there is none
  std::string assignment;  // empty where there is none
  /// "crashed", "hung": what its worker did. "failed": a broken invariant, or the simulation came to no end.
  /// "refused": by the checker. "other bytes": than the interpreter's. kOutOfMemory: a worker found none for it.
  std::string why;
  std::string reason;  // of the checker or the worker, in full
  /// A defect of the tool; what kills a worker may have come from outside, and a budget of memory may be too small.
  bool is_defect() const { return why != "crashed" && why != "hung" && why != kOutOfMemory; }
};

/// What a limit would have to be where no plan keeps all of them. Values as limits are: bytes, microseconds,
/// microjoules.
struct Least {
  struct Found {
    double value = -1;      // below 0: there is no such plan, or nobody asked
    std::string plan;       // id of one that reaches it, simulated
    std::string outside;    // as Point::outside
    bool complete = false;  // everything that a run tries was tried: no run reaches less
  };
  std::string metric;
  double limit = 0;
  Found alone;   // of all plans, whatever the other limits
  Found beside;  // of those that keep all other limits; asked where each limit can be kept alone
};

/// The front that the same search finds without one of the axes of its space.
struct WithoutAxis {
  std::string axis;  // order, phases, in-place, tiles, buffering
  int points = 0;
  std::int64_t smallest_bytes = -1;  // below 0: there is no plan
  double fastest_us = -1;
  double lost = 1;        // share of the hypervolume of the front with it, of the points that are shown (gap.h)
  bool complete = false;  // of plans that are decided layer by layer
  std::string reason;     // why there is no plan
};

/// One (network, device point) pair.
struct Front {
  std::string network, device;        // device with its axis values: "gap8-class/l1=64KiB"
  std::string base{};                 // "gap8-class": the device without them
  bool on_npu = false;                // the device has an NPU: what was searched, and is certified, are its schedules
  std::optional<double> area_mm2{};   // of the device point, where its file says
  std::string energy_source{};        // where the device's energies come from; empty: those of points are not known
  NetworkFacts facts{};               // of the network
  std::int64_t weight_bytes = 0;      // of all its constants
  std::vector<nn::LayerForm> layers;  // of the network, for comparisons with another
  std::string network_hash, device_hash, kernel_library,
      accuracy;  // accuracy: "not validated against silicon" or "+-9 %, worst of 5 ..."
  std::int64_t tick_hz = 1;
  std::vector<std::pair<std::string, std::string>> axes{};  // of the device point: {"memories.l1.size", "64 KiB"}
  std::vector<MemoryInfo> memories;
  std::vector<std::string> queues;                              // names; trace records index into it
  std::vector<std::string> engines{};                           // names, of the device
  std::vector<std::string> objectives = {"memory", "latency"};  // that the front is Pareto-optimal in
  std::vector<Constraint> constraints;                          // that its points keep
  /// Where the smallest plan near the best was looked for (its mark is "within"): near in what, and the share.
  std::string within_objective{};
  double within = 0;
  std::vector<WithoutAxis> without{};  // as far as it was asked
  std::vector<Point> points;           // the front, in ascending order of objectives
  /// Of every point of the front, those that are not shown as well: id, and the objectives as limits are (value_of).
  std::vector<std::pair<std::string, std::vector<double>>> values{};
  std::vector<Point> marked;  // rule-based, TFLM today, user plans: simulated, wherever they lie
  struct Dot {
    std::int64_t memory_bytes, latency_ticks;
  };
  std::vector<Dot> dominated;  // whole-network candidates that were simulated or composed and lie behind the front
  std::vector<Dot> bound;      // lower bound on latency per memory, a staircase
  std::int64_t simulated = 0, proven_dominated = 0, infeasible = 0;
  std::int64_t outside = 0;       // beyond the edges of the space
  std::int64_t skipped = 0;       // the budget was used up
  std::int64_t phased = 0;        // plans by phases that were tried
  std::int64_t lost = 0;          // their simulation crashed or hung
  std::vector<LeftOut> left_out;  // these, as far as they are named, and those that are wrong
  /// No plan was found, and for some there was no memory: nothing is known of the device.
  bool out_of_memory() const {
    return points.empty() &&
           std::any_of(left_out.begin(), left_out.end(), [](const LeftOut& l) { return l.why == kOutOfMemory; });
  }
  /// No plan was found before the budget was used up, and nothing proves that there is none.
  bool undecided = false;
  bool complete = false;  // of plans that are decided layer by layer; the points outside say so (Point::outside)
  double gap = -1;        // 0 when complete; else at most this far from the best there is (gap.h); below 0: not known
  double pointwise_gap = -1;  // the same of each point (gap.h)
  /// Of all plans that are made of single layers and runs by phases, in the file's order: how many runs, each at its
  /// homes and as it may be run, and as `gap`. `bound` is of these plans too where this is known.
  std::int64_t runs = 0;
  double runs_gap = -1, runs_pointwise_gap = -1;
  bool by_techniques = false;     // so is by which technique a convolution is computed
  bool by_batches = false;        // and in how many output batches a layer is
  bool fetches_ahead = false;     // filters that the layer before fetches are part of the space
  std::string infeasible_reason;  // why there is no point at all
  std::vector<Least> least;       // where limits are the reason: of each limit
  std::vector<std::string>
      notes;  // what the reader should know: "rule-based: no scheme fits layer ...", thinned fronts
};

struct Provenance {
  std::string version, command_line, date;
  std::map<std::string, std::string> inputs;  // file -> hash
  double seconds = 0;
  bool interrupted = false;  // fronts are those so far
};

/// What is left of the fronts of all variants of one network on all points of one device where they are compared with
/// each other.
struct Across {
  std::string network, base;            // NetworkFacts::base or the network, Front::base
  std::vector<std::string> objectives;  // as asked: area, weights and accuracy may be among them
  std::vector<std::size_t> fronts;      // of its device points, places in Sweep::fronts
  struct Place {
    std::size_t front = 0;  // Sweep::fronts[front].points[point]
    std::size_t point = 0;
  };
  std::vector<Place> points;  // as far as they are shown, in ascending order of objectives
  bool variants = false;      // of the network, not of the device alone
  bool holds(std::size_t front, const std::string& id, const std::vector<Front>& all) const {
    return std::any_of(points.begin(), points.end(),
                       [&](const Place& p) { return p.front == front && all[front].points[p.point].id == id; });
  }
};

struct Sweep {
  std::vector<Front> fronts;
  std::vector<Across> across{};  // of each network and device that has several points
  Provenance provenance;
};

}  // namespace dse::explore
