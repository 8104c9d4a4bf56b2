// What is wrong with the operators of a network, told once for all that it is wrong with.
#pragma once
#include <string>
#include <vector>

#include "base/diagnostics.h"

namespace dse::nn {

/// Errors of operators in the order in which they were first found. What is wrong with several of one type in the same
/// way, whatever its tensors and numbers are, is one error: "...; so are 27 more".
class Faults {
 public:
  /// @param type of the operator that `told` is about. @param where "operator 3 (CONV_2D)", what its errors begin with.
  void add(const std::string& type, const std::string& where, const Diagnostics& told);
  void tell(Diagnostics& diags) const;

 private:
  struct Fault {
    std::string type, way;
    Diagnostic first;
    int more;
  };
  std::vector<Fault> faults_;
};

}  // namespace dse::nn
