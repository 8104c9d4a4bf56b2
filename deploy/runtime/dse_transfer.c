#include "dse_transfer.h"

#include <string.h>

#include "dse_addressing.h"

/* `count` pieces of `bytes`, at constant distances on both sides; joined where they touch. */
static void pieces(uint8_t* to, int32_t to_step, const uint8_t* from, int32_t from_step, int32_t count, int32_t bytes,
                   uint8_t value) {
  int32_t i;
  if (to_step == bytes && (!from || from_step == bytes)) {
    bytes *= count; /* of one arena: below 2^31 */
    count = 1;
  }
  for (i = 0; i < count; ++i) {
    if (from)
      dse_move(to, from, (size_t)bytes);
    else
      memset(to, value, (size_t)bytes);
    if (i + 1 == count) break;
    to += to_step;
    if (from) from += from_step;
  }
}

static uint8_t* address(const dse_view* v, int32_t y, int32_t x, int32_t c) {
  return dse_row(v, y) + dse_channel_offset(v, c) + (int64_t)x * v->stride_w;
}

void dse_transfer(const dse_view* to, const dse_view* from, dse_span y, dse_span x, dse_span c, uint8_t value) {
  const dse_view* in = from ? from : to;
  const int32_t elem = to->elem > 1 ? to->elem : 1, columns = x.hi - x.lo;
  const int together = to->stride_c == elem && in->stride_c == elem; /* channels lie side by side on both sides */
  int32_t row, ch, i, n, whole;
  if (columns <= 0) return;
  for (row = y.lo; row < y.hi; ++row)
    for (ch = c.lo; ch < c.hi; ch += n) {
      n = dse_min(dse_channel_run(in, ch, c.hi), dse_channel_run(to, ch, c.hi));
      whole = together ? n : 1;
      for (i = 0; i < n; i += whole)
        pieces(address(to, row, x.lo, ch + i), to->stride_w, from ? address(from, row, x.lo, ch + i) : 0, in->stride_w,
               columns, whole * elem, value);
    }
}
