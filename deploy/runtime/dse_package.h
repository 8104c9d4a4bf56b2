/* The container of a package: header, table of sections, sections, check of the whole. The tool reads packages with
 * these same functions. They look at nothing outside the `length` bytes. */
#ifndef DSE_PACKAGE_H
#define DSE_PACKAGE_H
#include "dse_state.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct dse_package {
  const uint8_t* bytes;
  uint32_t size, sections, entry; /* all bytes, number of sections, bytes of an entry of the table */
} dse_package;

typedef struct dse_section {
  const uint8_t* bytes; /* a multiple of DSE_SECTION_ALIGNMENT from the start of the package */
  uint32_t kind, flags, size, crc, number;
} dse_section;

/* A point of the front: an encoded program, its constants (bytes 0: none), and what was simulated. */
typedef struct dse_point_entry {
  dse_section program, weights;
  uint64_t ticks; /* cycles of the device's fastest clock */
} dse_point_entry;

/* Checks magic, format, length, the header's CRC, that each section lies within, that no unknown one is required, and
 * the CRC of the whole; the last not when compiled with DSE_TRUST_PACKAGE. */
int dse_package_open(dse_package* p, const void* bytes, uint32_t length);
/* The same without the CRC of the whole. */
int dse_package_open_header(dse_package* p, const void* bytes, uint32_t length);
/* Section `index`; DSE_ERR_LENGTH when it does not lie within the package. */
int dse_package_section(const dse_package* p, uint32_t index, dse_section* out);
/* The first section of that kind, if `number` is not DSE_NO_SECTION with that number; 0 = there is none. */
int dse_package_find(const dse_package* p, uint32_t kind, uint32_t number, dse_section* out);
uint32_t dse_package_points(const dse_package* p);
int dse_package_point(const dse_package* p, uint32_t index, dse_point_entry* out);

uint32_t dse_le32(const uint8_t* bytes);

#ifdef __cplusplus
}
#endif
#endif
