#include "models/nn/finish.h"

namespace dse::nn {

bool derive_svdf(Derivation& d) { return d.fail("this operator is not supported"); }
bool derive_lstm(Derivation& d) { return d.fail("this operator is not supported"); }

}  // namespace dse::nn
