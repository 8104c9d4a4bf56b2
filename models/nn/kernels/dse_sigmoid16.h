/* The logistic function and the hyperbolic tangent on 16-bit values: a table of the logistic function in steps of 1/24,
 * interpolated. Shared by LOGISTIC and TANH of int16 and by LSTM. Both take the input times 3 * 2^12, a Q19 number in
 * steps of 1/3, so that the table's steps are powers of two. */
#ifndef DSE_SIGMOID16_H
#define DSE_SIGMOID16_H
#include <stdint.h>

/* 2^16 / (1 + exp(-i / 24)) as the reference has it: up to one above the nearest integer. */
static const uint16_t dse_sigmoid16_table[256] = {
    32768, 33451, 34133, 34813, 35493, 36169, 36843, 37513, 38180, 38841, 39498, 40149, 40794, 41432, 42064, 42688,
    43304, 43912, 44511, 45102, 45683, 46255, 46817, 47369, 47911, 48443, 48964, 49475, 49975, 50464, 50942, 51409,
    51865, 52311, 52745, 53169, 53581, 53983, 54374, 54755, 55125, 55485, 55834, 56174, 56503, 56823, 57133, 57433,
    57724, 58007, 58280, 58544, 58800, 59048, 59288, 59519, 59743, 59959, 60168, 60370, 60565, 60753, 60935, 61110,
    61279, 61441, 61599, 61750, 61896, 62036, 62172, 62302, 62428, 62549, 62666, 62778, 62886, 62990, 63090, 63186,
    63279, 63368, 63454, 63536, 63615, 63691, 63765, 63835, 63903, 63968, 64030, 64090, 64148, 64204, 64257, 64308,
    64357, 64405, 64450, 64494, 64536, 64576, 64614, 64652, 64687, 64721, 64754, 64786, 64816, 64845, 64873, 64900,
    64926, 64950, 64974, 64997, 65019, 65039, 65060, 65079, 65097, 65115, 65132, 65149, 65164, 65179, 65194, 65208,
    65221, 65234, 65246, 65258, 65269, 65280, 65291, 65301, 65310, 65319, 65328, 65337, 65345, 65352, 65360, 65367,
    65374, 65381, 65387, 65393, 65399, 65404, 65410, 65415, 65420, 65425, 65429, 65433, 65438, 65442, 65445, 65449,
    65453, 65456, 65459, 65462, 65465, 65468, 65471, 65474, 65476, 65479, 65481, 65483, 65485, 65488, 65489, 65491,
    65493, 65495, 65497, 65498, 65500, 65501, 65503, 65504, 65505, 65507, 65508, 65509, 65510, 65511, 65512, 65513,
    65514, 65515, 65516, 65517, 65517, 65518, 65519, 65520, 65520, 65521, 65522, 65522, 65523, 65523, 65524, 65524,
    65525, 65525, 65526, 65526, 65526, 65527, 65527, 65528, 65528, 65528, 65529, 65529, 65529, 65529, 65530, 65530,
    65530, 65530, 65531, 65531, 65531, 65531, 65531, 65532, 65532, 65532, 65532, 65532, 65532, 65533, 65533, 65533,
    65533, 65533, 65533, 65533, 65533, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65535};

/* x * multiplier / 2^shift, to nearest, ties upwards; 0 <= shift <= 31. */
static inline int32_t dse_sigmoid16_input(int32_t x, int32_t multiplier, int32_t shift) {
  const int64_t v = (int64_t)x * multiplier;
  const int64_t r = shift > 0 ? (v + (INT64_C(1) << (shift - 1))) >> shift : v;
  /* Far beyond the table already. */
  return r > (INT32_C(1) << 24) ? INT32_C(1) << 24 : r < -(INT32_C(1) << 24) ? -(INT32_C(1) << 24) : (int32_t)r;
}

/* Magnitude |d|: table value at |d| / 2^bits, with `bits` fraction bits added. `top` is the value beyond the table. */
static inline int32_t dse_sigmoid16_table_at(int32_t magnitude, int32_t bits, int32_t top) {
  const int32_t i = magnitude >> bits, rest = magnitude & ((INT32_C(1) << bits) - 1);
  if (i >= 255) return top * (INT32_C(1) << bits);
  return dse_sigmoid16_table[i] * (INT32_C(1) << bits) + rest * (dse_sigmoid16_table[i + 1] - dse_sigmoid16_table[i]);
}

/* Result in steps of 2^-15, for d = dse_sigmoid16_input(). */
static inline int32_t dse_logistic16(int32_t d) {
  /* 0x7fff << 10 is 0xfffe << 9. */
  const int32_t r = dse_sigmoid16_table_at(d < 0 ? -d : d, 9, 0xfffe);
  return (d >= 0 ? r + 512 : (INT32_C(1) << 25) - r + 511) >> 10;
}

/* tanh(x) = 2 logistic(2 x) - 1, in steps of 2^-15. */
static inline int32_t dse_tanh16(int32_t d) {
  const int32_t r = dse_sigmoid16_table_at(d < 0 ? -d : d, 8, 0xffff);
  const int32_t one = INT32_C(1) << 23;
  return (d >= 0 ? r - one + 128 : -r + one + 127) >> 8;
}

#endif
