#include "models/nn/finish.h"

namespace dse::nn {

bool derive_unary(Derivation& d) { return d.fail("this operator is not supported"); }
bool derive_quantize(Derivation& d) { return d.fail("this operator is not supported"); }

}  // namespace dse::nn
