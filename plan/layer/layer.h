// How one operator is run: its choices, the geometry that follows from them, and the tasks that carry it out.
//
// The loop nest (plan/layer/nest) is filter sets F, row tiles R and, in the planar scheme, input-channel steps K. Every
// tiled buffer is a ring in the dimension it is tiled in, so views never move: only ranges step. docs/how/schemes.md
// draws each scheme.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/hw/device.h"
#include "models/nn/network.h"
#include "plan/layer/nest/nest.h"
#include "plan/layer/placement.h"
#include "plan/network/layers.h"
#include "plan/segment/planner/schedule.h"
#include "program/program.h"

namespace dse::plan {

struct LayerContext;

/// interleaved: channels-last rows in a ring of rows. planar: one channel plane (or a band of its rows) at a time, with
/// partial sums. pixel_block: all channels of a block of pixels (pointwise and element-wise operators).
enum class Scheme { interleaved, planar, pixel_block };
/// What the engine goes over last. filters_outer: the input is streamed again for each filter set; with steps over
/// input channels, the sums of a tile stay until they are complete. rows_outer: the filters are streamed again for each
/// row tile; with steps, an input tile stays while all filter sets pass. channels_outer, with steps: filters stay while
/// all row tiles pass.
enum class Order { filters_outer, rows_outer, channels_outer };
/// automatic: operands that the engine reaches are used where they lie. tiled: they are copied to the nearest memory
/// all the same.
enum class Operands { automatic, tiled };
/// How filters get from the constants memory to where no direct copy engine leads: the whole layer at once or set by
/// set.
enum class Staging { whole, sets };
/// no: the layer runs by itself, from whole tensors to whole tensors. with_next: it runs by phases, a few rows at a
/// time, together with the layer after it if that runs by phases too and on the same engine. yes: by phases, as the
/// last of such a segment (or the only one): it sets the pace.
enum class Phases { no, yes, with_next };

constexpr int kStreamed = -1;
constexpr int kNearest = -1;
constexpr int kMostStrips = 8;  // of a segment by phases

/// The choices of one operator, typed. Sizes of 0 mean "all".
struct LayerChoice {
  Scheme scheme = Scheme::interleaved;
  int tile = 0;      // output rows (pixel_block: pixels) per tile; by phases: rows per call at most; whole layers:
                     // rows of a piece, or columns or channels where there is one row
  int filters = 0;   // output channels per filter set
  int channels = 0;  // planar convolution, fully connected: input channels per step
  Buffering buffering = Buffering::twice;
  Order order = Order::filters_outer;
  Operands operands = Operands::automatic;
  Staging staging = Staging::whole;
  int weights_memory = kStreamed;  // memory that holds the filters since start-up; kStreamed = the constants memory
  int output_memory = -1;          // home of the output tensor
  TensorLayout output_layout = TensorLayout::hwc;
  int engine = -1;  // -1 = the one that takes it, else the device's compute engine
  Phases phases = Phases::no;
  shared::Halo halo = shared::Halo::cached;  // of the segment that ends here
  int strips = 1;                            // the same: its columns are made in so many strips, one after the other
  bool in_place = false;  // plan/rules/in_place.h: the output takes over bytes of an input, or inputs lie in it
  bool prefetch = false;  // plan/layer/prefetch.h: filters come while the layer before runs
  int technique = 0;      // enum dse_technique: how a convolution is computed
  int batches = 1;        // M: where the engine's sums stand in memory, at most 1 / M of the outputs have one at a time
  int batch_buffers = 1;  // 2: a batch is summed while the one before is rescaled
  int sums_memory = kNearest;          // where partial sums of steps over input channels stand
  std::map<std::string, int> further;  // choices that a registry adds to the standard ones
  /// By phases, layers of a segment run on one engine: on that which computes everything.
  int engine_of(const LayerContext& context) const;
  bool operator==(const LayerChoice&) const = default;
};

struct TilingScheme;  // plan/layer/schemes/scheme.h

struct LayerContext {
  const nn::Network* network = nullptr;
  const hw::Device* device = nullptr;
  int op = 0;
  std::vector<Placement> inputs = std::vector<Placement>(2);  // of activations(); at least two entries
  int input_count = 1;
  Strides output_inside;  // the larger image that the output is a part of
  const dse_op& kernel() const { return network->operators[op].kernel; }
};

/// The engine that the operator runs on if no choice says otherwise: one that takes it (hw::engine_for), if it is cut
/// into tiles or is one call, else the one that computes everything. -1 = none.
int default_engine(const LayerContext& context);

/// A buffer that lives only while its layer runs.
struct LocalBuffer {
  /// "in0", "in1", "out", "weights", "qparams", "partial_sums", "scratch"; "stage", "in0_stage", "out_stage": of
  /// filters and others on their way through another memory.
  std::string name;
  program::BufferRole role;
  int memory;
  std::int64_t size;
};

/// filter_major: per output channel a record {bias, multiplier, shift, taps x input channels}, rounded up to 4 bytes.
/// apart: parameter records of all output channels, then the weights as kernel libraries take them, [output
/// channel][tap][input channel], of depthwise convolutions [tap][output channel]: what is read in place.
/// plane_major: 12-byte parameter records of all output channels, then [input channel][output channel][tap].
/// blob: everything constant that a whole layer reads, as of ConstantBlob.
enum class WeightForm { none, filter_major, apart, plane_major, blob };

/// Where no copy engine leads directly between home and nearest memory: the memory that tiles pass through, and the
/// ring of rows and channels (0: all that a tile has) that they have there.
struct Way {
  int through = -1;  // -1: there is a direct one
  int ring_h = 0, ring_c = 0;
  bool direct() const { return through < 0; }
};

struct LayerGeometry {
  bool feasible = false;
  std::string reason;  // when not: what is missing, in words

  dse_op op{};                           // kernel parameters, with the image flattened to one column for pixel_block
  const TilingScheme* scheme = nullptr;  // the chosen one, also where the layer is not tiled
  bool placed = false;                   // its inputs are parts of its output already: nothing to do but a border
  bool whole = false;        // computed at once by the operator's own calls (plan/layer/whole/whole_layer.h)
  bool pieces = false;       // whole, but a few rows at a time (plan/layer/whole/pieces.h)
  bool phased = false;       // runs by phases (plan/segment/phased.h): rows of rings, no tiles of its own
  bool channelwise = false;  // input channels follow output channels (depthwise, pools, add)
  bool prefetched = false;   // the first copy of its filters is made in the section before its own
  int engine = 0, near = 0;  // compute engine and its nearest memory
  int tile = 0, tiles = 1, filters = 0, sets = 1, channels = 0, steps = 1;
  Order order = Order::filters_outer;
  Depths depth;  // buffers asked for
  Nest nest;
  TensorLayout tile_layout = TensorLayout::hwc;

  int input_count = 1;
  struct Input {
    Placement home;
    bool in_place = false;
    int tile_c = 0, ring_h = 0, ring_c = 0;
    Way way;  // from its home to the nearest memory
  };
  std::vector<Input> inputs = std::vector<Input>(2);
  Placement output;
  bool output_in_place = false;
  int out_ring_h = 0, out_ring_c = 0;
  Way output_way;  // from the nearest memory to its home

  int sums_memory = 0;  // of partial sums
  WeightForm form = WeightForm::none;
  std::int64_t weight_bytes = 0;  // of the layer's packed constants
  std::int64_t record = 0;        // filter_major: bytes per output channel
  int weights_from = -1;          // memory the filters come from: constants or where they are resident
  bool weights_in_place = false;  // the engine reads them there
  int stage_memory = -1;          // != -1: they pass through this memory
  Staging staging = Staging::whole;
  std::vector<LocalBuffer> buffers;

  std::int64_t local_bytes(int memory, int alignment) const;  // sum of `buffers` there, each rounded up
  const LocalBuffer* find(const std::string& name) const;
};

/// Derives everything from the choices; never allocates addresses. Pure. Not `timed`: also where the engine's table has
/// no cycles for its tiles.
LayerGeometry layer_geometry(const LayerContext& context, const LayerChoice& choice, bool timed = true);

/// The first copy of a layer's filters, all of them: from where they are to the staging memory or, without one, to the
/// nearest memory.
struct Prefetch {
  int from = -1, to = -1;  // memories
  std::int64_t bytes = 0;  // 0: nothing
  std::int64_t from_offset = 0, to_offset = 0;
  /// The same copy, wherever it begins and ends.
  bool same_as(const Prefetch& o) const { return from == o.from && to == o.to && bytes == o.bytes; }
};

/// Offsets that emit_layer needs: each local buffer (as in geometry.buffers), the homes of inputs and output, the
/// packed constants.
struct LayerOffsets {
  std::vector<std::int64_t> buffers;
  std::vector<std::int64_t> inputs = std::vector<std::int64_t>(2);
  std::int64_t output = 0;
  std::vector<std::int64_t> further_outputs;  // whole layers: of outputs 1, 2, ...
  std::map<int, std::int64_t> states;         // whole layers: of variables, by tensor, in the io memory
  std::int64_t weights = 0;                   // in memory geometry.weights_from
  Prefetch next;                              // what the layer after it wants fetched meanwhile; none: `bytes` 0
};

/// Appends a section with the layer's tasks and the Wait that ends it.
void emit_layer(program::Program& program, const LayerContext& context, const LayerGeometry& geometry,
                const LayerOffsets& offsets);

/// Packed constants of one layer in the given form (geometry.weight_bytes of them).
std::vector<std::uint8_t> pack_weights(const nn::Network& network, const nn::Operator& op, WeightForm form);
std::int64_t packed_bytes(const nn::Network& network, const nn::Operator& op, WeightForm form);
std::int64_t filter_record_bytes(const dse_op& op);
/// Bytes of an accumulator.
inline int accumulator_bytes(const dse_op& op) { return op.acc_bytes == 8 ? 8 : 4; }
/// Bytes per element of the kernel's inputs.
int input_element(const dse_op& op, int input);

/// All queues of a device: engines in order, their channels in order.
std::vector<program::Queue> device_queues(const hw::Device& device);
int queue_of(const hw::Device& device, int engine, int channel);

const char* name_of(Scheme s);  // interleaved, planar, pixel-block
const char* name_of(Order o);   // filters-outer, rows-outer, channels-outer

}  // namespace dse::plan
