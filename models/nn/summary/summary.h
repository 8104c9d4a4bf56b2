// What a network consists of, in numbers: per operator and in all. Reads shapes, types and wiring only, so constants
// given by a rule (Fill) are counted and never expanded.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/nn/network.h"

namespace dse::nn {

/// One operator. Tensors by index, each once however often the operator names it.
struct LayerSummary {
  std::vector<int> inputs;  // what it reads and is no constant: activations and variables
  std::vector<int> constants;
  std::vector<int> outputs;
  std::int64_t macs = 0;             // Operator::macs
  std::int64_t parameters = 0;       // elements of its constants
  std::int64_t parameter_bytes = 0;  // a constant of several operators counts for each of them
  std::int64_t input_bytes = 0, output_bytes = 0;
  /// Bytes of activations that exist while it runs: what is made or given and still needed, what it reads, what it
  /// makes (always new: nothing is computed in place). Variables and constants do not count.
  std::int64_t live_bytes = 0;
  /// Multiply-accumulates per byte of constants, inputs and outputs; 0 where there are none of either.
  double intensity() const;
};

/// All operators of a kind; kinds that are not known (OperatorKind::other) are told apart by the source's name.
struct KindSummary {
  std::string kind;  // key_of, or Operator::type
  std::int64_t operators = 0, macs = 0, parameters = 0, parameter_bytes = 0;
};

struct Summary {
  std::vector<LayerSummary> layers;  // by operator index
  std::vector<KindSummary> kinds;    // most frequent first, then by name
  std::int64_t macs = 0;
  std::int64_t parameters = 0, parameter_bytes = 0;  // every constant once
  std::int64_t input_bytes = 0, output_bytes = 0;    // sums over the layers
  std::int64_t variable_bytes = 0;                   // state between runs
  int peak_operator = -1;                            // the first with the most live bytes
  std::int64_t peak_bytes = 0;
  std::vector<int> unsupported;  // operators that cannot be run: Operator::unsupported says why
  std::vector<int> floating;     // operators that compute in float32, whether or not that can be run
  double intensity() const;      // of the whole network, from the sums above
};

Summary summarize(const Network& n);

/// The source's name of an operator: Operator::type, or the kind's.
std::string type_of(const Operator& op);

/// The activations that live_bytes of operator `op` counts, largest first, then by index.
std::vector<int> live_tensors(const Network& n, int op);

}  // namespace dse::nn
