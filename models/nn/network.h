// A quantised network: verified graph + constants, immutable once built. Knows nothing of hardware.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "models/nn/operator.h"
#include "models/nn/tensor.h"

namespace dse::nn {

/// Something that import did to a network (models/nn/rewrite), for people.
struct Rewrite {
  std::string what;   // "pad", "mean", "transpose"
  std::string where;  // the operator in the file: its name
  std::string text;   // what became of it
};

/// An operator of the file that is left to the host (models/nn/graph/cut.h, models/nn/graph/ends/integer_ends.h).
struct HostOperator {
  std::string name, type;  // as in Operator; the type in the source format
  std::string why;         // it is not the device's
  bool before = false;     // it runs before the device does, else after it
};

class Network {
 public:
  std::string name;
  std::vector<Tensor> tensors;
  std::vector<Operator> operators;  // in execution order: every input is made before it is read
  std::vector<int> inputs, outputs;
  std::vector<Rewrite> rewrites;   // in the order in which they were done
  std::vector<HostOperator> host;  // what was left out of the network as it was read: in the file's order

  std::int64_t macs() const;
  std::int64_t parameters() const;       // elements of all constants
  std::int64_t parameter_bytes() const;  // their bytes
  /// 16 hex digits over operators, options, shapes and data types; not over weights and scales (a plan outlives
  /// retraining).
  std::string structure_hash() const;
  int producer(int tensor) const;                // operator index, -1 for inputs and constants
  std::vector<int> consumers(int tensor) const;  // operator indices in order
};

using NetworkPtr = std::shared_ptr<const Network>;

/// What a reader of networks accepts.
struct LoadOptions {
  bool allow_float = false;       // operators in float32: for inference, inspection and quantisation
  bool keep_unsupported = false;  // operators that cannot be run: for inspection
  std::map<std::string, std::vector<std::int64_t>> shapes;  // input name -> shape, where an ONNX file leaves it open
  bool prefer_float = false;  // YAML networks, which have no weights of their own: as float32
  bool as_in_file = false;    // every operator of the file, not rewritten (models/nn/rewrite)
  /// Only the part that integer kernels can run, Network::host names the rest (models/nn/graph/cut.h). Goes before
  /// allow_float and keep_unsupported.
  bool cut = false;
  /// What only converts between FLOAT32 and integers at an end is the host's (models/nn/graph/ends/integer_ends.h).
  bool integer_io = false;
  /// Operators that cannot be run as black boxes (price.h): type or name -> cycles of the engine that computes.
  std::map<std::string, std::int64_t> costs;
  bool several = false;    // networks are read with these costs and shapes: each need not have what each one names
  bool offer_cut = false;  // where a network cannot run as a whole, a note tells what a cut would keep
  /// Networks in float32, YAML ones as well.
  static LoadOptions floating() {
    LoadOptions o;
    o.allow_float = o.prefer_float = true;
    return o;
  }
};

/// Adds "input=1x3x224x224" to the shapes. @returns what is wrong with the text, empty when nothing is.
std::string add_shape(const std::string& text, LoadOptions& options);

/// Reads `.tflite`, `.onnx`, `.dsenet` or `.yaml` by extension; every problem goes to `diags`. @returns null on error.
NetworkPtr load_network(const std::string& path, Diagnostics& diags, const LoadOptions& options = {});

/// Derives what the comment in Operator says and checks shapes, types, quantisation and order. Used by all importers as
/// their last step. Operators that cannot be run are errors unless `options` keeps them. @returns null on error.
NetworkPtr finish_network(Network network, Diagnostics& diags, const std::string& file,
                          const LoadOptions& options = {});

/// The bytes behind DSE_WEIGHTS: conv/depthwise/fc as [output channel][tap][input channel of its group] in the weights'
/// type (depthwise: one input channel), Operator::weights where that is set.
std::vector<std::uint8_t> filter_major_weights(const Network& n, const Operator& op);

/// Bytes of every tensor, by tensor index; constants are empty.
using TensorBytes = std::vector<std::vector<std::uint8_t>>;

/// Values of the variables between runs of a network, by tensor index (others empty).
TensorBytes initial_state(const Network& n);

/// Runs the whole network once with the reference kernels (float32 operators: evaluate_float). `inputs`: raw bytes per
/// network input. `state` is read and updated. @returns bytes of every tensor (variables: after the run).
/// @throws InvariantError when the inputs do not fit or an operator cannot be run.
TensorBytes interpret(const Network& n, const std::vector<std::vector<std::uint8_t>>& inputs, TensorBytes& state);
/// The same from the initial state, which is not kept.
TensorBytes interpret(const Network& n, const std::vector<std::vector<std::uint8_t>>& inputs);

/// Runs the kernel calls of one operator on the bytes of its tensors. @throws InvariantError when it has no kernel.
void run_operator(const Network& n, const Operator& op, TensorBytes& bytes);

/// Golden inputs: state = 0x7F1A2E5D00000000 + 1000003*seed + 7919*ordinal + 104729*step; one splitmix64 draw per
/// element, int8 = draw >> 56.
std::vector<std::uint8_t> seeded_input(const Tensor& t, int ordinal, std::uint64_t seed, std::uint64_t step = 0);
/// Of all inputs of a network.
std::vector<std::vector<std::uint8_t>> seeded_inputs(const Network& n, std::uint64_t seed, std::uint64_t step = 0);

}  // namespace dse::nn
