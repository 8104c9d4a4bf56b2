#include "models/nn/finish.h"

namespace dse::nn {

bool derive_reduction(Derivation& d) { return d.fail("this operator is not supported"); }
bool derive_arg_extreme(Derivation& d) { return d.fail("this operator is not supported"); }

}  // namespace dse::nn
