/* Real Fourier transforms in 16 bits with one exponent for all values (block floating point): what a stage of
 * butterflies makes is halved only where it might overflow, and rounded once, so that the error stays that of the last
 * bits. Radix 2, decimation in time, over n / 2 complex values; the two halves of a real signal are its even and odd
 * elements (Sorensen et al., "Real-valued fast Fourier transform algorithms", 1987). */
#include "dse_addressing.h"
#include "dse_rfft.h"

enum {
  TURN = 1024,   /* entries of a whole turn */
  FRACTION = 15, /* bits after the point of sines */
  ONE = 1 << FRACTION,
  LARGEST = 13500 /* a + w b of values so large: 13500 (1 + sqrt 2) is below 32768 */
};

/* 32767 sin(2 pi i / TURN), the first quarter. */
static const int16_t sine[TURN / 4 + 1] = {
    0,     201,   402,   603,   804,   1005,  1206,  1407,  1608,  1809,  2009,  2210,  2410,  2611,  2811,  3012,
    3212,  3412,  3612,  3811,  4011,  4210,  4410,  4609,  4808,  5007,  5205,  5404,  5602,  5800,  5998,  6195,
    6393,  6590,  6786,  6983,  7179,  7375,  7571,  7767,  7962,  8157,  8351,  8545,  8739,  8933,  9126,  9319,
    9512,  9704,  9896,  10087, 10278, 10469, 10659, 10849, 11039, 11228, 11417, 11605, 11793, 11980, 12167, 12353,
    12539, 12725, 12910, 13094, 13279, 13462, 13645, 13828, 14010, 14191, 14372, 14553, 14732, 14912, 15090, 15269,
    15446, 15623, 15800, 15976, 16151, 16325, 16499, 16673, 16846, 17018, 17189, 17360, 17530, 17700, 17869, 18037,
    18204, 18371, 18537, 18703, 18868, 19032, 19195, 19357, 19519, 19680, 19841, 20000, 20159, 20317, 20475, 20631,
    20787, 20942, 21096, 21250, 21403, 21554, 21705, 21856, 22005, 22154, 22301, 22448, 22594, 22739, 22884, 23027,
    23170, 23311, 23452, 23592, 23731, 23870, 24007, 24143, 24279, 24413, 24547, 24680, 24811, 24942, 25072, 25201,
    25329, 25456, 25582, 25708, 25832, 25955, 26077, 26198, 26319, 26438, 26556, 26674, 26790, 26905, 27019, 27133,
    27245, 27356, 27466, 27575, 27683, 27790, 27896, 28001, 28105, 28208, 28310, 28411, 28510, 28609, 28706, 28803,
    28898, 28992, 29085, 29177, 29268, 29358, 29447, 29534, 29621, 29706, 29791, 29874, 29956, 30037, 30117, 30195,
    30273, 30349, 30424, 30498, 30571, 30643, 30714, 30783, 30852, 30919, 30985, 31050, 31113, 31176, 31237, 31297,
    31356, 31414, 31470, 31526, 31580, 31633, 31685, 31736, 31785, 31833, 31880, 31926, 31971, 32014, 32057, 32098,
    32137, 32176, 32213, 32250, 32285, 32318, 32351, 32382, 32412, 32441, 32469, 32495, 32521, 32545, 32567, 32589,
    32609, 32628, 32646, 32663, 32678, 32692, 32705, 32717, 32728, 32737, 32745, 32752, 32757, 32761, 32765, 32766,
    32767};

/* cos and sin of 2 pi i / TURN, 0 <= i <= TURN / 2. */
static int32_t cosine_of(int32_t i) { return i <= TURN / 4 ? sine[TURN / 4 - i] : -sine[i - TURN / 4]; }
static int32_t sine_of(int32_t i) { return i <= TURN / 4 ? sine[i] : sine[TURN / 2 - i]; }

/* v / 2^bits, rounded. */
static int16_t rounded(int64_t v, int32_t bits) { return (int16_t)((v + (INT64_C(1) << (bits - 1))) >> bits); }

static int32_t largest_of(const int16_t* x, int32_t n) {
  int32_t most = 0, i;
  for (i = 0; i < n; ++i) most = dse_max(most, x[i] < 0 ? -(int32_t)x[i] : x[i]);
  return most;
}

/* How often what a stage makes of these values must be halved. */
static int32_t halvings(const int16_t* x, int32_t n) {
  int32_t most = largest_of(x, n), times = 0;
  for (; most > LARGEST; most = (most + 1) >> 1) ++times;
  return times;
}

/* m complex values (re, im), in place; sign -1: forward, +1: backward, without the division by m. Returns the exponent
 * that the values have gained. */
static int32_t transform(int16_t* z, int32_t m, int32_t sign) {
  int32_t exponent = 0, i, j = 0, half, k;
  for (i = 1; i < m; ++i) { /* bits in reverse */
    int32_t bit = m >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      const int16_t re = z[2 * i], im = z[2 * i + 1];
      z[2 * i] = z[2 * j];
      z[2 * i + 1] = z[2 * j + 1];
      z[2 * j] = re;
      z[2 * j + 1] = im;
    }
  }
  for (half = 1; half < m; half *= 2) {
    const int32_t step = TURN / (2 * half), times = halvings(z, 2 * m), bits = FRACTION + times;
    exponent += times;
    for (k = 0; k < half; ++k) {
      const int64_t wr = k ? cosine_of(k * step) : ONE, wi = k ? sign * sine_of(k * step) : 0;
      for (i = k; i < m; i += 2 * half) {
        int16_t *a = z + 2 * i, *b = z + 2 * (i + half);
        const int64_t ar = a[0] * (int64_t)ONE, ai = a[1] * (int64_t)ONE;
        const int64_t re = b[0] * wr - b[1] * wi, im = b[0] * wi + b[1] * wr;
        a[0] = rounded(ar + re, bits);
        a[1] = rounded(ai + im, bits);
        b[0] = rounded(ar - re, bits);
        b[1] = rounded(ai - im, bits);
      }
    }
  }
  return exponent;
}

/* Between the spectrum of n real values and that of the n / 2 complex ones of which they are the real and the imaginary
 * parts in turn: Z[k] and Z[m - k] become X[k] and X[m - k] (sign -1), or back (+1). Returns the exponent gained. */
static int32_t part(int16_t* x, int32_t n, int32_t sign) {
  const int32_t m = n / 2, step = TURN / n, times = halvings(x, n), bits = FRACTION + 1 + times;
  const int32_t re = x[0], first = sign < 0 ? FRACTION + times : bits; /* back, the first two are halves of sums */
  int32_t k;
  x[0] = rounded((int64_t)(re + x[1]) * ONE, first);
  x[1] = rounded((int64_t)(re - x[1]) * ONE, first);
  for (k = 1; 2 * k <= m; ++k) {
    int16_t *a = x + 2 * k, *b = x + 2 * (m - k);
    const int64_t wr = cosine_of(k * step), wi = sign * sine_of(k * step);
    /* Twice the sum and the difference of a and the conjugate of b; the difference is turned, forward by -i w, back
     * by i w. */
    const int64_t er = (int64_t)(a[0] + b[0]) * ONE, ei = (int64_t)(a[1] - b[1]) * ONE;
    const int64_t dr = a[0] - b[0], di = a[1] + b[1];
    const int64_t tr = sign < 0 ? di * wr + dr * wi : -(dr * wi + di * wr);
    const int64_t ti = sign < 0 ? di * wi - dr * wr : dr * wr - di * wi;
    a[0] = rounded(er + tr, bits);
    a[1] = rounded(ei + ti, bits);
    b[0] = rounded(er - tr, bits);
    b[1] = rounded(ti - ei, bits);
  }
  return times;
}

int32_t dse_rfft(int16_t* x, int32_t n) {
  const int32_t exponent = transform(x, n / 2, -1);
  return exponent + part(x, n, -1);
}

int32_t dse_irfft(int16_t* x, int32_t n) {
  int32_t exponent = part(x, n, 1), bits = 0;
  exponent += transform(x, n / 2, 1);
  while (n >> (bits + 2)) ++bits; /* of n / 2 */
  return exponent - bits;
}

int32_t dse_normalize16(int16_t* x, int32_t n) {
  const int32_t most = largest_of(x, n);
  int32_t times = 0, i;
  if (most == 0) return 0;
  while (most << (times + 1) <= 32767) ++times;
  if (times)
    for (i = 0; i < n; ++i) x[i] = (int16_t)(x[i] * (1 << times));
  return -times;
}
