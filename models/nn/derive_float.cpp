// Operators in float32, which have no kernel: what finish_network checks and counts.
#include "models/nn/finish.h"

namespace dse::nn {

bool derive_float(Derivation& d) { return d.fail("float32 is not evaluated yet"); }

}  // namespace dse::nn
