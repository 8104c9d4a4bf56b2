/* Opens encrypted packages: XChaCha20-Poly1305 (RFC 8439; the 192-bit nonce by draft-irtf-cfrg-xchacha-03). Apart from
 * the runtime: a firmware without encrypted packages leaves it out. */
#ifndef DSE_SEAL_H
#define DSE_SEAL_H
#include "dse_package.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that dse_unseal() writes, 0 = this is no encrypted package. */
uint32_t dse_unsealed_size(const void* package, uint32_t length);
/* Decrypts the package into `to`, aligned to DSE_SECTION_ALIGNMENT; then it is opened from there. Nothing is written
 * before the tag has been found right: DSE_ERR_KEY when the package was changed or the key (DSE_SEAL_KEY bytes) is
 * another one, DSE_ERR_LENGTH when `capacity` is too small. */
int dse_unseal(const void* package, uint32_t length, const uint8_t* key, uint8_t* to, uint32_t capacity);

/* What it is made of. `out` may be `in`. */
void dse_hchacha20(const uint8_t* key, const uint8_t* nonce, uint8_t* out); /* nonce: 16 bytes, out: 32 */
void dse_chacha20(const uint8_t* key, const uint8_t* nonce, uint32_t counter, const uint8_t* in, uint8_t* out,
                  uint32_t size); /* nonce: 12 bytes */
/* A message that is authenticated, piece by piece. */
typedef struct dse_poly1305 {
  uint32_t r[5], h[5], pad[4], used;
  uint8_t block[16];
} dse_poly1305;
void dse_poly1305_start(dse_poly1305* p, const uint8_t* key); /* 32 bytes, for one message only */
void dse_poly1305_add(dse_poly1305* p, const uint8_t* data, uint32_t size);
void dse_poly1305_end(dse_poly1305* p, uint8_t* tag); /* 16 bytes */

#ifdef __cplusplus
}
#endif
#endif
