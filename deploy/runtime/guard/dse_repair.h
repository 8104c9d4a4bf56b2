/* Error correction of packages that carry check bits: one wrong bit in every block of DSE_PARITY_BLOCK bytes. Apart
 * from the runtime: what is repaired is a copy in RAM, or flash that is written again. */
#ifndef DSE_REPAIR_H
#define DSE_REPAIR_H
#include "dse_package.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Check bits of a block of `size` <= DSE_PARITY_BLOCK bytes. */
uint32_t dse_parity_of(const uint8_t* block, uint32_t size);
/* Where the section of check bits begins in a package of this length, if it has one; 0 = it cannot have one. */
uint32_t dse_parity_offset(uint32_t length);
/* Whether the section is what the table's CRC says; check bits have none. */
int dse_section_is_whole(const dse_section* s);
/* Corrects `bytes` in place and checks the result as dse_package_open() does. `corrected`: how many bits were wrong
 * (check bits and the last CRC included), where that is not null. Returns DSE_OK, or what is wrong with bytes that
 * cannot be repaired; those may have been changed in trying. */
int dse_repair(uint8_t* bytes, uint32_t length, uint32_t* corrected);

#ifdef __cplusplus
}
#endif
#endif
