#include "models/nn/finish.h"

namespace dse::nn {

bool derive_log_softmax(Derivation& d) { return d.fail("this operator is not supported"); }
bool derive_l2_normalization(Derivation& d) { return d.fail("this operator is not supported"); }

}  // namespace dse::nn
