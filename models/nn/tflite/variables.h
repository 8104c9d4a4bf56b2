// State in resource variables. In the file, VAR_HANDLE makes a handle to the variable of a name, READ_VARIABLE and
// ASSIGN_VARIABLE copy from and to it, and CALL_ONCE runs a subgraph before the first run, in practice one that assigns
// constants. In a Network, a variable is a tensor: handles and initialisation dissolve.
#pragma once
#include <map>
#include <string>
#include <utility>

#include "models/nn/tflite/reading.h"

namespace dse::nn {

class TfliteVariables {
 public:
  explicit TfliteVariables(TfliteReading& reading) : reading_(reading) {}

  /// VAR_HANDLE: the output tensor of the first handle of a name becomes the variable.
  /// @returns why it cannot be understood, empty if it can.
  std::string handle(const tflite::Operator& from);
  /// CALL_ONCE. @returns why its subgraph cannot be understood, empty if it can.
  std::string call_once(const tflite::Operator& from);
  /// READ_VARIABLE {handle} -> {value}, ASSIGN_VARIABLE {handle, value} -> {} to the forms of network.h. An operator
  /// that does not fit becomes OperatorKind::other with the reason in `unsupported`.
  void read(Operator& op);
  void assign(Operator& op);

  /// A handle to a variable, which no other operator may take for a value.
  bool is_handle(int tensor) const { return handles_.count(tensor) != 0; }

 private:
  using Name = std::pair<std::string, std::string>;  // container, shared name

  bool name_of(const tflite::Operator& from, Name& name);
  /// Tensor of the variable behind a handle, -1 when it is none; of the type and shape of `value` if it has none yet.
  int variable(int handle, int value, Operator& op);

  TfliteReading& reading_;
  std::map<Name, int> tensors_;     // the variable's tensor
  std::map<int, int> handles_;      // handle -> the variable's tensor
  std::map<Name, Tensor> initial_;  // type, shape, quantisation and value
};

}  // namespace dse::nn
