#include "dse_repair.h"

#include "dse_decode.h"

enum { PARITY = 0x8000, UNREPAIRABLE = 0x10000 };

uint32_t dse_parity_of(const uint8_t* block, uint32_t size) {
  uint32_t positions = 0, odd = 0, i, bit;
  for (i = 0; i < size; ++i)
    for (bit = 0; bit < 8; ++bit)
      if (block[i] >> bit & 1u) {
        positions ^= i * 8 + bit + 1;
        odd ^= 1;
      }
  return positions | (odd ? PARITY : 0);
}

uint32_t dse_parity_offset(uint32_t length) {
  const uint32_t pair = DSE_PARITY_BLOCK + DSE_PARITY_BYTES;
  if (length < DSE_PACKAGE_HEADER + DSE_PACKAGE_TRAILER + pair || (length - DSE_PACKAGE_TRAILER) % pair) return 0;
  return (length - DSE_PACKAGE_TRAILER) / pair * DSE_PARITY_BLOCK;
}

/* What is wrong with a block: 0, the position of a bit in it (from 1), PARITY (its check bits), or UNREPAIRABLE. */
static uint32_t fault(const uint8_t* block, const uint8_t* check) {
  const uint32_t is = dse_parity_of(block, DSE_PARITY_BLOCK), was = check[0] | (uint32_t)check[1] << 8;
  const uint32_t syndrome = (is ^ was) & (PARITY - 1), odd = (is ^ was) & PARITY;
  if (is == was) return 0;
  if (odd) return syndrome == 0 ? PARITY : syndrome <= DSE_PARITY_BLOCK * 8 ? syndrome : (uint32_t)UNREPAIRABLE;
  /* The parity is even: one bit of the check itself, or more than can be told. */
  return (syndrome & (syndrome - 1)) == 0 ? PARITY : (uint32_t)UNREPAIRABLE;
}

/* Corrects the wrong bit of each block. @returns how many, or UNREPAIRABLE with nothing changed. */
static uint32_t correct(uint8_t* bytes, uint32_t parity) {
  const uint32_t blocks = parity / DSE_PARITY_BLOCK;
  uint32_t b, f, n = 0;
  for (b = 0; b < blocks; ++b)
    if (fault(bytes + b * DSE_PARITY_BLOCK, bytes + parity + b * DSE_PARITY_BYTES) == UNREPAIRABLE) return UNREPAIRABLE;
  for (b = 0; b < blocks; ++b) {
    uint8_t* block = bytes + b * DSE_PARITY_BLOCK;
    f = fault(block, bytes + parity + b * DSE_PARITY_BYTES);
    if (f == 0 || f == PARITY) continue;
    block[(f - 1) / 8] ^= (uint8_t)(1u << (f - 1) % 8);
    ++n;
  }
  return n;
}

/* Makes the bits `is` of the bytes at `at`. @returns how many were otherwise. */
static uint32_t set(uint8_t* at, uint32_t is, uint32_t bytes) {
  uint32_t i, n = 0;
  for (i = 0; i < bytes * 8; ++i) n += (at[i / 8] >> i % 8 & 1u) != (is >> i & 1u);
  for (i = 0; i < bytes; ++i) at[i] = (uint8_t)(is >> (8 * i));
  return n;
}

int dse_section_is_whole(const dse_section* s) {
  return s->kind == DSE_SECTION_PARITY || dse_crc32c(0, s->bytes, s->size) == s->crc;
}

int dse_repair(uint8_t* bytes, uint32_t length, uint32_t* corrected) {
  dse_package p;
  dse_section s;
  uint32_t parity = dse_parity_offset(length), n, i, crc;
  int status = dse_package_open(&p, bytes, length);
  if (corrected) *corrected = 0;
  if (status == DSE_OK || parity == 0) return status;
  n = correct(bytes, parity);
  if (n == UNREPAIRABLE) return status;
  for (i = 0; i < parity / DSE_PARITY_BLOCK; ++i)
    n += set(bytes + parity + i * DSE_PARITY_BYTES, dse_parity_of(bytes + i * DSE_PARITY_BLOCK, DSE_PARITY_BLOCK),
             DSE_PARITY_BYTES);
  crc = dse_crc32c(0, bytes, length - DSE_PACKAGE_TRAILER);
  i = set(bytes + length - DSE_PACKAGE_TRAILER, crc, DSE_PACKAGE_TRAILER);
  if (i > 1) return DSE_ERR_CRC; /* it was right, and what it says is not what this is */
  status = dse_package_open(&p, bytes, length);
  if (status == DSE_OK && !dse_package_find(&p, DSE_SECTION_PARITY, DSE_NO_SECTION, &s)) status = DSE_ERR_CRC;
  for (crc = 0; crc < p.sections && status == DSE_OK; ++crc) {
    status = dse_package_section(&p, crc, &s);
    if (status == DSE_OK && !dse_section_is_whole(&s)) status = DSE_ERR_CRC;
  }
  if (corrected) *corrected = n + i;
  return status;
}
