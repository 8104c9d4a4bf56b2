#include "dse_seal.h"

#include <string.h>

enum { HEAD = DSE_SEAL_NONCE + DSE_SEAL_TAG };

static int sealed_of(dse_package* p, const void* package, uint32_t length, dse_section* s) {
  const int status = dse_package_open(p, package, length);
  if (status != DSE_OK) return status;
  return dse_package_find(p, DSE_SECTION_SEALED, DSE_NO_SECTION, s) && s->size >= HEAD ? DSE_OK : DSE_ERR_MALFORMED;
}

uint32_t dse_unsealed_size(const void* package, uint32_t length) {
  dse_package p;
  dse_section s;
  return sealed_of(&p, package, length, &s) == DSE_OK ? s.size - HEAD : 0;
}

static void pad(dse_poly1305* mac, uint32_t size) {
  static const uint8_t zeros[16] = {0};
  if (size % 16) dse_poly1305_add(mac, zeros, 16 - size % 16);
}

int dse_unseal(const void* package, uint32_t length, const uint8_t* key, uint8_t* to, uint32_t capacity) {
  dse_package p;
  dse_section sealed, info;
  dse_poly1305 mac;
  uint8_t subkey[32], nonce[12] = {0}, one_time[64] = {0}, tag[DSE_SEAL_TAG], sizes[16] = {0};
  uint32_t i, body, extra, difference = 0;
  int status = sealed_of(&p, package, length, &sealed);
  if (status != DSE_OK) return status;
  body = sealed.size - HEAD;
  if (body > capacity) return DSE_ERR_LENGTH;
  if ((uintptr_t)to % DSE_SECTION_ALIGNMENT) return DSE_ERR_ALIGNMENT;
  if (!dse_package_find(&p, DSE_SECTION_INFO, DSE_NO_SECTION, &info)) info.size = 0;
  extra = DSE_SEAL_HEADER + info.size;
  dse_hchacha20(key, sealed.bytes, subkey);
  memcpy(nonce + 4, sealed.bytes + 16, 8);
  dse_chacha20(subkey, nonce, 0, one_time, one_time, sizeof one_time);
  dse_poly1305_start(&mac, one_time);
  dse_poly1305_add(&mac, p.bytes, DSE_SEAL_HEADER);
  if (info.size > 0) dse_poly1305_add(&mac, info.bytes, info.size);
  pad(&mac, extra);
  dse_poly1305_add(&mac, sealed.bytes + HEAD, body);
  pad(&mac, body);
  for (i = 0; i < 4; ++i) {
    sizes[i] = (uint8_t)(extra >> (8 * i));
    sizes[8 + i] = (uint8_t)(body >> (8 * i));
  }
  dse_poly1305_add(&mac, sizes, sizeof sizes);
  dse_poly1305_end(&mac, tag);
  for (i = 0; i < DSE_SEAL_TAG; ++i) difference |= (uint32_t)(tag[i] ^ sealed.bytes[DSE_SEAL_NONCE + i]);
  if (difference) return DSE_ERR_KEY;
  dse_chacha20(subkey, nonce, 1, sealed.bytes + HEAD, to, body);
  return DSE_OK;
}
