// What must hold before a kernel may be called with bytes that a faulty program has put together.
#pragma once
#include <cstring>
#include <vector>

#include "program/program.h"

namespace dse::test {

/// Kernels take shifts of -31..30 only, those of Q formats -31..46: a wrong view of the parameters, or outputs on top
/// of them, must not make them undefined.
inline bool parameters_in_range(const program::TaskInstance& t, const std::vector<program::Access>& accesses,
                                const program::ByteSpace& bytes) {
  const auto* call = dynamic_cast<const program::CallPayload*>(t.task->payload.get());
  if (!call || !call->views[DSE_QPARAMS].present()) return true;
  const bool last = !call->accumulate || call->k.limit == 0 || call->k.at(t.loops).hi == call->k.limit;
  if (!last) return true;  // they are not read
  const int arena = call->views[DSE_QPARAMS].arena;
  dse_view v = call->views[DSE_QPARAMS].shape;
  v.base = bytes.base(arena) + call->views[DSE_QPARAMS].offset;
  if (call->parameters->kind == DSE_SVDF || call->parameters->kind == DSE_LSTM) return true;  // other records
  const dse_span channels = call->c.at(t.loops);
  const std::int32_t most = call->parameters->rounding == DSE_ROUND_QFORMAT ? 46 : 30;
  const std::int32_t record = dse_record_bytes(call->parameters);
  for (std::int32_t c = channels.lo; c < channels.hi; ++c) {
    const std::uint8_t* at = dse_at(&v, c, 0, 0);
    std::int32_t shift;
    std::memcpy(&shift, at + record - 4, sizeof shift);
    if (shift < -31 || shift > most) return false;
    const std::int64_t begin = at - bytes.base(arena);
    for (const program::Access& a : accesses)
      if (a.write && a.arena == arena && a.begin < begin + record && begin < a.end) return false;
  }
  return true;
}

}  // namespace dse::test
