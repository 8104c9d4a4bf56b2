/* CIRCULANT: see dse_circulant.h. */
#include "dse_circulant.h"
#include "dse_finish.h"
#include "dse_internal.h"
#include "dse_patch.h"
#include "dse_rfft.h"
#include "dse_sums.h"

enum { FRACTION = 8 }; /* sums in the frequency domain have so many bits after the point */

/* Bytes of the spectrum of a block: its values and its exponent. */
static int32_t spectrum_bytes(int32_t b) { return 2 * b + 4; }

/* The product of what is at least 0, cut to int32. */
static int64_t times(int64_t a, int64_t b) { return a * b > INT32_MAX ? INT32_MAX : a * b; }

/* One byte more than the values take: they begin at an even address (values_of). */
int32_t dse_circulant_scratch(const dse_op* op) {
  const int32_t b = op->arg[DSE_ARG_BLOCK], q = dse_block_columns(op);
  int64_t bytes;
  if (op->arg[DSE_ARG_DOMAIN] == DSE_FREQUENCY)
    bytes = times(times(times(dse_spectrum_rows(op), op->in_w), q), spectrum_bytes(b)) + 10 * (int64_t)b + 1;
  else
    bytes = times(times(times(op->kernel_h, op->kernel_w), times(q, b)), 2) + 1;
  return bytes > INT32_MAX ? INT32_MAX : (int32_t)bytes;
}

/* Where the scratch of a call holds values of 16 bits: only a damaged plan puts it at an odd address. */
static uint8_t* values_of(const dse_call* call) {
  uint8_t* base = call->view[DSE_SCRATCH].base;
  return base + ((uintptr_t)base & 1);
}

static const uint8_t* pixel_of(const dse_view* in, int32_t y, int32_t x) {
  return dse_row(in, y) + (int64_t)x * in->stride_w;
}

/* Channels of block j of a pixel as int16 less their zero point, zeros behind the last channel. */
static void take_block(const dse_call* call, int16_t* to, const uint8_t* pixel, int32_t j) {
  const dse_op* op = call->op;
  const int32_t b = op->arg[DSE_ARG_BLOCK], n = dse_min(b, op->in_c - j * b);
  dse_gather_channels(to, &call->view[DSE_IN0], pixel, j * b, n, op->in_type, op->in_zero);
  dse_clear(to + n, b - n);
}

/* ------------------------------------------------------------------------------------------------ time domain */

/* The blocks under the window of output (y, x), each back to front, so that a row of a block is two pieces of w in
 * order. */
static void arrange(const dse_call* call, int16_t* to, int32_t y, int32_t x) {
  const dse_op* op = call->op;
  const int32_t b = op->arg[DSE_ARG_BLOCK], q = dse_block_columns(op);
  int32_t ky, kx, j, i;
  for (ky = 0; ky < op->kernel_h; ++ky) {
    const int32_t iy = dse_source(op, y, ky, op->stride_h, op->dilation_h, op->pad_top, op->in_h);
    for (kx = 0; kx < op->kernel_w; ++kx) {
      const int32_t ix = dse_source(op, x, kx, op->stride_w, op->dilation_w, op->pad_left, op->in_w);
      for (j = 0; j < q; ++j, to += b) {
        if (iy < 0 || ix < 0) {
          dse_clear(to, b);
          continue;
        }
        take_block(call, to, pixel_of(&call->view[DSE_IN0], iy, ix), j);
        for (i = 0; 2 * i < b - 1; ++i) {
          const int16_t v = to[i];
          to[i] = to[b - 1 - i];
          to[b - 1 - i] = v;
        }
      }
    }
  }
}

static int64_t dot(const int16_t* x, const uint8_t* w, int32_t type, int32_t n) {
  int64_t sum = 0;
  int32_t i;
  if (type == DSE_I16) {
    for (i = 0; i < n; ++i) sum += (int64_t)x[i] * dse_element(w + 2 * i, DSE_I16);
  } else {
    const int8_t* p = (const int8_t*)w;
    while (n > 0) { /* 2^8 products of 16 bits by 8 fit 32 bits */
      const int32_t run = dse_min(n, 256);
      int32_t part = 0;
      for (i = 0; i < run; ++i) part += x[i] * p[i];
      sum += part;
      x += run;
      p += run;
      n -= run;
    }
  }
  return sum;
}

static void in_time(const dse_call* call) {
  const dse_op* op = call->op;
  const dse_tile* t = &call->tile;
  const int32_t b = op->arg[DSE_ARG_BLOCK], blocks = op->kernel_h * op->kernel_w * dse_block_columns(op);
  const int32_t size = dse_type_bytes(op->weight_type);
  int16_t* patch = (int16_t*)(void*)values_of(call);
  int32_t y, x, c, n;
  for (y = t->y.lo; y < t->y.hi; ++y)
    for (x = t->x.lo; x < t->x.hi; ++x) {
      arrange(call, patch, y, x);
      for (c = t->c.lo; c < t->c.hi; ++c) {
        const dse_record record = dse_record_of(call, c);
        const int32_t r = c % b;
        const uint8_t* w = dse_row(&call->view[DSE_WEIGHTS], c / b);
        const int16_t* at = patch;
        int64_t sum = 0;
        for (n = 0; n < blocks; ++n, at += b, w += (int64_t)b * size)
          sum += dot(at + (b - 1 - r), w, op->weight_type, r + 1) +
                 dot(at, w + (int64_t)(r + 1) * size, op->weight_type, b - 1 - r);
        dse_put_element(dse_at(&call->view[DSE_OUT], y, x, c), op->out_type, dse_finish(op, &record, sum));
      }
    }
}

/* ------------------------------------------------------------------------------------------- frequency domain */

/* v shifted to the left; to the right, where `left` is below 0, rounded. */
static int64_t shifted(int64_t v, int32_t left) {
  if (left >= 0) return (int64_t)((uint64_t)v << left);
  if (left < -62) return 0;
  return (v + (INT64_C(1) << (-left - 1))) >> -left;
}

/* sum += the product of two spectra; the first has an exponent. */
static void multiply(uint8_t* sums, const uint8_t* spectrum, const uint8_t* w, int32_t b) {
  const int32_t left = dse_load32(spectrum + 2 * b) + FRACTION;
  int32_t k;
  for (k = 0; k < b; k += 2) {
    const int64_t xr = dse_element(spectrum + 2 * k, DSE_I16), xi = dse_element(spectrum + 2 * k + 2, DSE_I16);
    const int64_t wr = dse_element(w + 2 * k, DSE_I16), wi = dse_element(w + 2 * k + 2, DSE_I16);
    int64_t sum[2]; /* the first two values are real */
    memcpy(sum, sums + 8 * k, 16);
    sum[0] += shifted(k ? xr * wr - xi * wi : xr * wr, left);
    sum[1] += shifted(k ? xr * wi + xi * wr : xi * wi, left);
    memcpy(sums + 8 * k, sum, 16);
  }
}

/* Back from the spectrum of the sums to `line`. Returns the exponent of what stands there. */
static int32_t transform_back(int16_t* line, const uint8_t* sums, int32_t b) {
  int64_t most = 0, v;
  int32_t right = -FRACTION, k;
  for (k = 0; k < b; ++k) {
    memcpy(&v, sums + 8 * k, 8);
    most = v < 0 ? (most < -v ? -v : most) : (most < v ? v : most);
  }
  while (shifted(most, -right) > 32766) ++right;
  for (k = 0; k < b; ++k) {
    memcpy(&v, sums + 8 * k, 8);
    line[k] = (int16_t)shifted(v, -right);
  }
  return dse_irfft(line, b) + right - FRACTION;
}

/* The spectra of one row of inputs. */
static void transform_row(const dse_call* call, uint8_t* to, int32_t y) {
  const dse_op* op = call->op;
  const int32_t b = op->arg[DSE_ARG_BLOCK], q = dse_block_columns(op);
  int32_t x, j;
  for (x = 0; x < op->in_w; ++x)
    for (j = 0; j < q; ++j, to += spectrum_bytes(b)) {
      int16_t* values = (int16_t*)(void*)to;
      int32_t exponent;
      take_block(call, values, pixel_of(&call->view[DSE_IN0], y, x), j);
      exponent = dse_normalize16(values, b);
      dse_store32(to + 2 * b, exponent + dse_rfft(values, b));
    }
}

static void in_frequency(const dse_call* call) {
  const dse_op* op = call->op;
  const dse_tile* t = &call->tile;
  const int32_t b = op->arg[DSE_ARG_BLOCK], q = dse_block_columns(op), rows = dse_spectrum_rows(op);
  const int64_t pixel = (int64_t)q * spectrum_bytes(b), row = pixel * op->in_w;
  uint8_t *spectra = values_of(call), *sums = spectra + rows * row;
  int16_t* line = (int16_t*)(void*)(sums + 8 * (int64_t)b);
  int32_t y, x, i, j, ky, kx, c, made = 0; /* rows of inputs before `made` are transformed */
  for (y = t->y.lo; y < t->y.hi; ++y) {
    const int32_t first = dse_max(0, y * op->stride_h - op->pad_top);
    const int32_t end = dse_min(op->in_h, y * op->stride_h - op->pad_top + (op->kernel_h - 1) * op->dilation_h + 1);
    for (made = dse_max(made, first); made < end; ++made) transform_row(call, spectra + made % rows * row, made);
    for (x = t->x.lo; x < t->x.hi; ++x)
      for (i = t->c.lo / b; i * b < t->c.hi; ++i) {
        const uint8_t* w = dse_row(&call->view[DSE_WEIGHTS], i);
        int32_t exponent;
        memset(sums, 0, 8 * (size_t)b);
        for (ky = 0; ky < op->kernel_h; ++ky) {
          const int32_t iy = dse_source(op, y, ky, op->stride_h, op->dilation_h, op->pad_top, op->in_h);
          for (kx = 0; kx < op->kernel_w; ++kx, w += 2 * (int64_t)q * b) {
            const int32_t ix = dse_source(op, x, kx, op->stride_w, op->dilation_w, op->pad_left, op->in_w);
            if (iy < 0 || ix < 0) continue;
            for (j = 0; j < q; ++j)
              multiply(sums, spectra + iy % rows * row + ix * pixel + (int64_t)j * spectrum_bytes(b),
                       w + 2 * (int64_t)j * b, b);
          }
        }
        exponent = transform_back(line, sums, b);
        for (c = dse_max(t->c.lo, i * b); c < dse_min(t->c.hi, (i + 1) * b); ++c) {
          const dse_record record = dse_record_of(call, c);
          const int32_t v = dse_finish(op, &record, shifted(line[c - i * b], exponent));
          dse_put_element(dse_at(&call->view[DSE_OUT], y, x, c), op->out_type, v);
        }
      }
  }
}

void dse_circulant(const dse_call* call) {
  if (call->op->arg[DSE_ARG_DOMAIN] == DSE_FREQUENCY)
    in_frequency(call);
  else
    in_time(call);
}
