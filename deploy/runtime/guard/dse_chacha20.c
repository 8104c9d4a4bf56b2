/* ChaCha20 and HChaCha20. No table and no branch depends on the key. */
#include <string.h>

#include "dse_seal.h"

static void put32(uint8_t* to, uint32_t v) {
  int i;
  for (i = 0; i < 4; ++i) to[i] = (uint8_t)(v >> (8 * i));
}

static uint32_t turned(uint32_t v, int by) { return v << by | v >> (32 - by); }

static void quarter(uint32_t* s, int a, int b, int c, int d) {
  s[a] += s[b];
  s[d] = turned(s[d] ^ s[a], 16);
  s[c] += s[d];
  s[b] = turned(s[b] ^ s[c], 12);
  s[a] += s[b];
  s[d] = turned(s[d] ^ s[a], 8);
  s[c] += s[d];
  s[b] = turned(s[b] ^ s[c], 7);
}

/* The state with the key and 16 bytes of counter and nonce. */
static void start(uint32_t* s, const uint8_t* key) {
  int i;
  s[0] = 0x61707865u; /* "expand 32-byte k" */
  s[1] = 0x3320646eu;
  s[2] = 0x79622d32u;
  s[3] = 0x6b206574u;
  for (i = 0; i < 8; ++i) s[4 + i] = dse_le32(key + 4 * i);
}

static void rounds(uint32_t* s) {
  int i;
  for (i = 0; i < 10; ++i) {
    quarter(s, 0, 4, 8, 12);
    quarter(s, 1, 5, 9, 13);
    quarter(s, 2, 6, 10, 14);
    quarter(s, 3, 7, 11, 15);
    quarter(s, 0, 5, 10, 15);
    quarter(s, 1, 6, 11, 12);
    quarter(s, 2, 7, 8, 13);
    quarter(s, 3, 4, 9, 14);
  }
}

void dse_hchacha20(const uint8_t* key, const uint8_t* nonce, uint8_t* out) {
  uint32_t s[16];
  int i;
  start(s, key);
  for (i = 0; i < 4; ++i) s[12 + i] = dse_le32(nonce + 4 * i);
  rounds(s);
  for (i = 0; i < 4; ++i) {
    put32(out + 4 * i, s[i]);
    put32(out + 16 + 4 * i, s[12 + i]);
  }
}

void dse_chacha20(const uint8_t* key, const uint8_t* nonce, uint32_t counter, const uint8_t* in, uint8_t* out,
                  uint32_t size) {
  uint32_t first[16], s[16], i, n;
  uint8_t stream[64];
  start(first, key);
  first[12] = counter;
  for (i = 0; i < 3; ++i) first[13 + i] = dse_le32(nonce + 4 * i);
  for (; size > 0; size -= n, in += n, out += n) {
    n = size < 64 ? size : 64;
    memcpy(s, first, sizeof s);
    rounds(s);
    for (i = 0; i < 16; ++i) put32(stream + 4 * i, s[i] + first[i]);
    for (i = 0; i < n; ++i) out[i] = (uint8_t)(in[i] ^ stream[i]);
    ++first[12];
  }
}
