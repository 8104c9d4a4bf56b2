#include "models/nn/finish.h"

namespace dse::nn {

bool derive_batch_matmul(Derivation& d) { return d.fail("this operator is not supported"); }

}  // namespace dse::nn
