/* Poly1305 (RFC 8439, 2.5) in five limbs of 26 bits. */
#include <string.h>

#include "dse_seal.h"

enum { LIMB = 0x3ffffff };

void dse_poly1305_start(dse_poly1305* p, const uint8_t* key) {
  int i;
  memset(p, 0, sizeof *p);
  p->r[0] = dse_le32(key) & 0x3ffffffu;
  p->r[1] = dse_le32(key + 3) >> 2 & 0x3ffff03u;
  p->r[2] = dse_le32(key + 6) >> 4 & 0x3ffc0ffu;
  p->r[3] = dse_le32(key + 9) >> 6 & 0x3f03fffu;
  p->r[4] = dse_le32(key + 12) >> 8 & 0x00fffffu;
  for (i = 0; i < 4; ++i) p->pad[i] = dse_le32(key + 16 + 4 * i);
}

/* h = (h + block + high * 2^128) * r mod 2^130 - 5 */
static void block(dse_poly1305* p, const uint8_t* m, uint32_t high) {
  uint64_t d[5], carry = 0;
  int i, k;
  p->h[0] += dse_le32(m) & LIMB;
  p->h[1] += dse_le32(m + 3) >> 2 & LIMB;
  p->h[2] += dse_le32(m + 6) >> 4 & LIMB;
  p->h[3] += dse_le32(m + 9) >> 6 & LIMB;
  p->h[4] += dse_le32(m + 12) >> 8 | high << 24;
  for (i = 0; i < 5; ++i) {
    d[i] = 0;
    for (k = 0; k < 5; ++k) /* limbs beyond 2^130 come back five times */
      d[i] += (uint64_t)p->h[k] * (k <= i ? p->r[i - k] : 5 * p->r[5 + i - k]);
  }
  for (i = 0; i < 5; ++i) {
    d[i] += carry;
    p->h[i] = (uint32_t)d[i] & LIMB;
    carry = d[i] >> 26;
  }
  p->h[0] += (uint32_t)carry * 5;
  p->h[1] += p->h[0] >> 26;
  p->h[0] &= LIMB;
}

void dse_poly1305_add(dse_poly1305* p, const uint8_t* data, uint32_t size) {
  uint32_t i;
  for (i = 0; i < size; ++i) {
    p->block[p->used++] = data[i];
    if (p->used < 16) continue;
    block(p, p->block, 1);
    p->used = 0;
  }
}

void dse_poly1305_end(dse_poly1305* p, uint8_t* tag) {
  uint32_t g[5], carry, mask, i, k;
  uint64_t f = 0;
  if (p->used > 0) {
    p->block[p->used] = 1;
    for (i = p->used + 1; i < 16; ++i) p->block[i] = 0;
    block(p, p->block, 0);
  }
  for (k = 0; k < 2; ++k) { /* carried through */
    carry = 0;
    for (i = 0; i < 5; ++i) {
      p->h[i] += carry;
      carry = p->h[i] >> 26;
      p->h[i] &= LIMB;
    }
    p->h[0] += carry * 5;
  }
  carry = 5; /* g = h - (2^130 - 5); it counts if that is not negative */
  for (i = 0; i < 5; ++i) {
    g[i] = p->h[i] + carry;
    carry = g[i] >> 26;
    g[i] &= LIMB;
  }
  mask = 0u - carry;
  for (i = 0; i < 5; ++i) p->h[i] = (p->h[i] & ~mask) | (g[i] & mask);
  for (i = 0; i < 4; ++i) { /* 32 bits from limbs i and i + 1 */
    f = (f >> 32) + (uint32_t)(p->h[i] >> (6 * i) | p->h[i + 1] << (26 - 6 * i)) + (uint64_t)p->pad[i];
    for (k = 0; k < 4; ++k) tag[4 * i + k] = (uint8_t)(f >> (8 * k));
  }
}
