// Plan: every decision taken, nothing left implicit. A pure function of (network structure, device, assignment of
// choices); a readable document that can also be written by hand. It belongs to a structure, not to weights: retraining
// keeps it.
#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "plan/alloc/problem.h"
#include "plan/choices/choice.h"
#include "plan/layer/layer.h"
#include "plan/place/rigid.h"

namespace dse::plan {

/// A named byte range in a memory. `first`/`last`: sections (inclusive) it lives through.
struct PlacedBuffer {
  std::string
      name;  // "t12" for tensors (network index), "conv3.in0" for a layer's own, "conv3.resident", "conv3.constants"
  program::BufferRole role = program::BufferRole::tensor;
  int memory = 0;
  std::int64_t offset = 0, size = 0;
  int first = 0, last = 0;
  int tensor = -1;
  /// Plans with phased segments: life and gaps in steps (plan/segment/phased.h), as the allocator sees them.
  alloc::Buffer life{};
  /// Of a ring, where it interleaves with others to the byte (plan/place/rigid.h): the bytes that it takes in which
  /// steps, and the slots that its rows are shifted by. Empty: as `life` says, row 0 lies in slot 0.
  std::vector<shared::Taken> taken{};
  std::int64_t shift = 0;
  int over = -1;  // the tensor whose buffer it takes over in section `first` (an operator in place)
};

enum class SegmentKind { layerwise, phased, cascade };
struct Segment {
  std::vector<int> operators;
  SegmentKind kind = SegmentKind::layerwise;
  bool barrier = true;
};

/// An infeasible plan is a value: which buffer, which memory, how much is missing.
struct Infeasible {
  std::string what, hint;
};

struct Plan {
  std::string network, network_hash, device, device_hash;
  std::string origin;  // "explored", "rule-based", "rule-based (resident weights)", "TFLM today", "by hand"
  std::vector<Segment> segments;
  std::vector<LayerChoice> choices;  // per operator of the network
  bool alias_reshapes = true;        // false: RESHAPE copies, as TFLM does
  bool greedy_offsets = false;       // offsets of tensors were given, by TFLM's planner; plan documents just have them
  /// Of inputs that come in from the device's `input_from`, "t<index>.input" is where they lie there.
  shared::Input input = shared::Input::released;
  std::vector<PlacedBuffer> buffers;
  std::vector<std::int64_t> heights;  // per memory: highest address used + 1 (constants image included where it lies)
  std::vector<std::int64_t> loads;    // per memory: highest live bytes (a lower bound of the height)
  std::int64_t constants_size = 0;
  NetworkChoice network_choice() const { return {alias_reshapes, greedy_offsets, input}; }
  /// Short stable id: 8 hex digits over network structure, device, choices and offsets.
  std::string id() const;
};

/// searched: buffers lie apart. none: those of plans with phased segments all begin where their memory does, and
/// `heights` are `loads`, which no layout is below. Such a plan takes the time that it takes with offsets, which are
/// what takes long to find; it computes nothing.
enum class Offsets { searched, none };

/// Derives homes, buffers and offsets from the choices; those of aliased reshapes, which are no layers, are reset.
/// With `greedy_offsets`, tensors lie where TFLM's planner puts them; else all are placed here.
std::variant<Plan, Infeasible> make_plan(const nn::Network& network, const hw::Device& device,
                                         std::vector<LayerChoice> choices, const NetworkChoice& whole = {},
                                         Offsets offsets = Offsets::searched);

/// The operators that become layers (sections), in order: all but aliased reshapes.
std::vector<int> layers_of(const nn::Network& network, bool alias_reshapes);
/// For each tensor the tensor whose bytes it shares through aliased reshapes (itself, if none).
std::vector<int> alias_roots(const nn::Network& network, bool alias_reshapes);

/// Lowers a plan to the program that is timed, executed and shipped.
/// @throws InvariantError when the plan does not belong to (network, device) or lacks a buffer; read_plan reports that
/// as diagnostics.
program::Program lower(const nn::Network& network, const hw::Device& device, const Plan& plan);

/// The constants image of a plan: every layer's filters in the form its scheme wants.
std::vector<std::uint8_t> constants_image(const nn::Network& network, const hw::Device& device, const Plan& plan);

/// Geometry of every layer of the plan, by operator (default-constructed for aliased reshapes).
std::vector<LayerGeometry> geometries(const nn::Network& network, const hw::Device& device,
                                      const std::vector<LayerChoice>& choices, bool alias_reshapes);
/// What a layer knows of its surroundings, by operator; of one operator: choices after it need not be made yet.
std::vector<LayerContext> contexts_of(const nn::Network& network, const hw::Device& device,
                                      const std::vector<LayerChoice>& choices, bool alias_reshapes);
LayerContext context_of(const nn::Network& network, const hw::Device& device, const std::vector<LayerChoice>& choices,
                        int op, bool alias_reshapes);

/// Sum over on-chip memories of plan.heights / plan.loads.
std::int64_t on_chip_memory(const hw::Device& device, const std::vector<std::int64_t>& per_memory);

/// Reads and writes the document. `read_plan` verifies hashes and names against network and device and reports every
/// problem.
std::string write_plan(const Plan& plan, const nn::Network& network, const hw::Device& device);
std::optional<Plan> read_plan(const std::string& path, const nn::Network& network, const hw::Device& device,
                              Diagnostics& diags);
std::optional<Plan> read_plan_text(const std::string& text, const std::string& file, const nn::Network& network,
                                   const hw::Device& device, Diagnostics& diags);
/// JSON Schema of the document.
std::string plan_schema();
/// The plan in words, one line per layer.
std::vector<std::string> in_words(const Plan& plan, const nn::Network& network, const hw::Device& device);

}  // namespace dse::plan
