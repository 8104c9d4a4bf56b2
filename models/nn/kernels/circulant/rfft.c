/* Real Fourier transforms in 16 bits with one exponent for all values (block floating point): values are halved before
 * a stage of butterflies only where they might overflow, so that the error stays that of the last bits. Radix 2,
 * decimation in time, over n / 2 complex values; the two halves of a real signal are its even and odd elements
 * (Sorensen et al., "Real-valued fast Fourier transform algorithms", 1987). */
#include "dse_addressing.h"
#include "dse_rfft.h"

enum {
  TURN = 1024,    /* entries of a whole turn */
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

static int32_t rounded(int32_t v) { return (v + (1 << 14)) >> 15; }

static int32_t largest_of(const int16_t* x, int32_t n) {
  int32_t most = 0, i;
  for (i = 0; i < n; ++i) most = dse_max(most, x[i] < 0 ? -(int32_t)x[i] : x[i]);
  return most;
}

/* Halves all values until a stage has room. Returns how often. */
static int32_t make_room(int16_t* x, int32_t n) {
  int32_t most = largest_of(x, n), times = 0, i;
  while (most > LARGEST) {
    most = (most + 1) >> 1;
    ++times;
  }
  if (times)
    for (i = 0; i < n; ++i) x[i] = (int16_t)((x[i] + (1 << (times - 1))) >> times);
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
    const int32_t step = TURN / (2 * half);
    exponent += make_room(z, 2 * m);
    for (k = 0; k < half; ++k) {
      const int32_t wr = cosine_of(k * step), wi = sign * sine_of(k * step);
      for (i = k; i < m; i += 2 * half) {
        int16_t *a = z + 2 * i, *b = z + 2 * (i + half);
        const int32_t re = k ? rounded(b[0] * wr - b[1] * wi) : b[0], im = k ? rounded(b[0] * wi + b[1] * wr) : b[1];
        b[0] = (int16_t)(a[0] - re);
        b[1] = (int16_t)(a[1] - im);
        a[0] = (int16_t)(a[0] + re);
        a[1] = (int16_t)(a[1] + im);
      }
    }
  }
  return exponent;
}

int32_t dse_rfft(int16_t* x, int32_t n) {
  const int32_t m = n / 2, step = TURN / n;
  int32_t exponent = transform(x, m, -1), k, re;
  exponent += make_room(x, n);
  re = x[0];
  x[0] = (int16_t)(re + x[1]);
  x[1] = (int16_t)(re - x[1]);
  for (k = 1; 2 * k <= m; ++k) { /* Z[k] and Z[m - k] become X[k] and X[m - k] */
    int16_t *a = x + 2 * k, *b = x + 2 * (m - k);
    const int32_t wr = cosine_of(k * step), wi = -sine_of(k * step);
    const int32_t er = a[0] + b[0], ei = a[1] - b[1];       /* twice the spectrum of the even elements */
    const int32_t odd_r = a[1] + b[1], odd_i = b[0] - a[0]; /* and of the odd ones */
    const int32_t tr = rounded(odd_r * wr - odd_i * wi), ti = rounded(odd_r * wi + odd_i * wr);
    a[0] = (int16_t)((er + tr + 1) >> 1);
    a[1] = (int16_t)((ei + ti + 1) >> 1);
    b[0] = (int16_t)((er - tr + 1) >> 1);
    b[1] = (int16_t)((ti - ei + 1) >> 1);
  }
  return exponent;
}

int32_t dse_irfft(int16_t* x, int32_t n) {
  const int32_t m = n / 2, step = TURN / n;
  int32_t exponent = make_room(x, n), k, bits, re = x[0];
  x[0] = (int16_t)((re + x[1] + 1) >> 1);
  x[1] = (int16_t)((re - x[1] + 1) >> 1);
  for (k = 1; 2 * k <= m; ++k) {
    int16_t *a = x + 2 * k, *b = x + 2 * (m - k);
    const int32_t wr = cosine_of(k * step), wi = sine_of(k * step);
    const int32_t er = a[0] + b[0], ei = a[1] - b[1], dr = a[0] - b[0], di = a[1] + b[1];
    const int32_t odd_r = rounded(dr * wr - di * wi), odd_i = rounded(dr * wi + di * wr);
    a[0] = (int16_t)((er - odd_i + 1) >> 1);
    a[1] = (int16_t)((ei + odd_r + 1) >> 1);
    b[0] = (int16_t)((er + odd_i + 1) >> 1);
    b[1] = (int16_t)((odd_r - ei + 1) >> 1);
  }
  exponent += transform(x, m, 1);
  for (bits = 0; m >> (bits + 1); ++bits) continue;
  return exponent - bits;
}

int32_t dse_normalize16(int16_t* x, int32_t n) {
  const int32_t most = largest_of(x, n);
  int32_t times = 0, i;
  if (most == 0) return 0;
  while (most << (times + 1) <= LARGEST) ++times;
  if (times)
    for (i = 0; i < n; ++i) x[i] = (int16_t)(x[i] * (1 << times));
  return -times;
}
