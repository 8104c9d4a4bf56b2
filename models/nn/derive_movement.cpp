#include "models/nn/finish.h"

namespace dse::nn {

bool derive_parts(Derivation& d) { return d.fail("this operator is not supported"); }
bool derive_gather(Derivation& d) { return d.fail("this operator is not supported"); }
bool derive_pad(Derivation& d) { return d.fail("this operator is not supported"); }

}  // namespace dse::nn
