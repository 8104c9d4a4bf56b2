// What to explore: a sweep file, or the one-line form `dse run NETWORK... --device D...`, as data.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"

namespace dse::explore {

/// One axis of a device: a dotted path in the device file and the values to try, as written.
struct Axis {
  std::string path;                 // "memories.l1.size"
  std::vector<std::string> values;  // "32 KiB", "64 KiB"
  Location where;
};

/// What a sweep knows of a network beside its file: what it is a variant of, and how many labels it gets right.
struct NetworkFacts {
  std::string base;                                            // "circulant-arch1"; empty: it is no variant
  std::vector<std::pair<std::string, std::string>> axes = {};  // {"fc0.block", "64"}, {"bits", "8"}
  std::optional<double> accuracy = {};                         // 0 to 1
  std::string accuracy_of = {};                                // "10000 images", "proxy: ..."
  std::optional<double> equal_dense = {};                      // accuracy of the dense network of as many parameters
  bool operator==(const NetworkFacts&) const = default;
};

/// An entry of `networks:` that is there.
struct NetworkSpec {
  NetworkSpec(std::string path, NetworkFacts known = {}) : file(std::move(path)), facts(std::move(known)) {}
  NetworkSpec(const char* path) : file(path) {}
  std::string file;
  NetworkFacts facts;
  bool operator==(const NetworkSpec&) const = default;
};

/// A network whose variants are to be made (variants/variants.h): a file, and values of fields of its layers, of `bits`
/// and of `domain`.
struct VariantSpec {
  std::string base, data;  // `data`: a folder, "made", or empty
  std::vector<Axis> axes;
  int epochs = 0;           // of training; 0: the file's. Of files with weights: of fine-tuning, 0: none
  std::int64_t images = 0;  // only so many of each part; 0: all
  Location where;
};

struct DeviceSpec {
  std::string
      base;  // a library name, or a path (relative paths: to the sweep file's folder, then the working directory)
  std::vector<Axis> axes;
  Location where;
};

/// `latency: "<= 20 ms"`, `memories.l2.peak: "<= 256 KiB"`: a metric's name and its upper limit in the metric's own
/// unit (bytes, ticks of... for latency: microseconds).
struct Constraint {
  std::string metric;
  double limit = 0;
  Location where;
};

/// Schedules of more kernel calls than this for one layer are outside the space unless a sweep says otherwise, or none
/// of so few fits: what they save is part of one tile, and issue and dispatch make them very slow.
constexpr std::int64_t kMaxCalls = 512;

/// Workers need so much before they do anything.
constexpr std::int64_t kLeastMemory = std::int64_t{16} << 20;

struct SweepSpec {
  std::string file;  // as given; empty for the one-line form
  std::vector<NetworkSpec> networks;
  std::vector<VariantSpec> variants = {};  // not made yet: they become networks with facts
  std::vector<std::string> shapes;         // of inputs that ONNX files leave open: "input=1x3x224x224"
  bool cut = false;                        // only the part of each network that can run (models/nn/graph/cut.h)
  bool float_io = false;  // conversions at the networks' ends too (models/nn/graph/ends/integer_ends.h)
  std::map<std::string, std::int64_t> costs;  // of operators that cannot be run, in cycles (models/nn/graph/price.h)
  std::vector<DeviceSpec> devices;
  std::vector<std::string> objectives = {"memory", "latency"};
  std::string search = "exact";  // or "exhaustive": every candidate of the space as a whole network
  std::vector<Constraint> constraints;
  /// "scheme", or "conv3.scheme" of one layer, which goes before -> allowed values; absent = free.
  std::map<std::string, std::vector<std::string>> choices;
  std::map<std::string, Location> choices_at;  // where they are written, for messages; may lack some
  /// Where their values are written, one each; of an order that is a list of layers, one per layer.
  std::map<std::string, std::vector<Location>> values_at = {};
  std::int64_t simulations = 0;  // budget; 0 = no limit
  double seconds = 0;            // time budget; 0 = no limit (with one, results are not reproducible and say so)
  std::int64_t memory = 0;       // budget of all processes together, bytes; 0 = half of the machine's
  /// Whose kernels a package of a plan calls, which `ram` counts: of deploy::kernel_set_names().
  std::string kernels = "reference";
  int front_points =
      40;  // at most this many points per front are reported (evenly spread, extremes and knee kept); 0 = all
  bool by_phases = true;  // plans whose layers run a few rows at a time are tried beside those of the search
  std::int64_t max_calls = kMaxCalls;  // of the kernels for one layer, in schedules of the space
  std::vector<std::string> plans;      // user plans: always simulated and marked
  /// The smallest plan whose first objective that is no memory is at most this share above the best is shown as well;
  /// 0: none is. Below 0: not said, which is 1 % where latency is the only objective, and else none.
  double within = -1;
  /// Axes of the space (axes.h) without which it is searched once more each, to see what they add.
  std::vector<std::string> without = {};
};

}  // namespace dse::explore
