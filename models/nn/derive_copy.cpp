// Operators that only rename or move a whole tensor.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/nn/finish.h"
#include "models/nn/quantize.h"

namespace dse::nn {

bool derive_copy(Derivation& d) {
  if (!d.quantized_int8(d.op.inputs[0], "input") || !d.quantized_int8(d.op.outputs[0], "output")) return false;
  if (d.input(0).elements() != d.output().elements())
    return d.fail(fmt::format("input {} has not as many elements as output {}", text_of(d.input(0).shape),
                              text_of(d.output().shape)));
  d.op.kernel.kind = DSE_COPY;
  set_extents(d.op.kernel, d.output().image(), d.output().image());
  d.op.kernel.act_min = -128, d.op.kernel.act_max = 127;
  return true;
}

}  // namespace dse::nn
