#include "dse_package.h"

#include <string.h>

#include "dse_decode.h"

enum { FORMAT = 8, SIZE = 12, SECTIONS = 16, ENTRY = 20, RESERVED = 24 };

uint32_t dse_le32(const uint8_t* b) { return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24; }

static int is_known(uint32_t kind) {
  return kind == DSE_SECTION_POINTS || kind == DSE_SECTION_PROGRAM || kind == DSE_SECTION_WEIGHTS ||
         kind == DSE_SECTION_SEALED;
}

static uint32_t table_end(const dse_package* p) { return DSE_PACKAGE_HEADER + p->sections * p->entry; }

int dse_package_section(const dse_package* p, uint32_t index, dse_section* out) {
  const uint8_t* e;
  uint32_t offset;
  if (index >= p->sections) return DSE_ERR_MALFORMED;
  e = p->bytes + DSE_PACKAGE_HEADER + index * p->entry;
  offset = dse_le32(e + 8);
  out->kind = dse_le32(e);
  out->flags = dse_le32(e + 4);
  out->size = dse_le32(e + 12);
  out->crc = dse_le32(e + 16);
  out->number = dse_le32(e + 20);
  if (offset % DSE_SECTION_ALIGNMENT) return DSE_ERR_MALFORMED;
  if (offset < table_end(p) || offset > p->size - DSE_PACKAGE_TRAILER ||
      out->size > p->size - DSE_PACKAGE_TRAILER - offset)
    return DSE_ERR_LENGTH;
  out->bytes = p->bytes + offset;
  return DSE_OK;
}

int dse_package_open_header(dse_package* p, const void* package, uint32_t length) {
  static const char magic[] = DSE_PACKAGE_MAGIC;
  static const uint8_t no_crc[4] = {0};
  dse_section s;
  uint32_t i, crc;
  int status = DSE_OK;
  p->bytes = (const uint8_t*)package;
  if (!package || length < sizeof magic - 1) return DSE_ERR_MAGIC;
  for (i = 0; i < sizeof magic - 1; ++i)
    if (p->bytes[i] != (uint8_t)magic[i]) return DSE_ERR_MAGIC;
  if (length < DSE_PACKAGE_HEADER + DSE_PACKAGE_TRAILER) return DSE_ERR_LENGTH;
  if (dse_le32(p->bytes + FORMAT) != DSE_PACKAGE_FORMAT) return DSE_ERR_FORMAT;
  p->size = dse_le32(p->bytes + SIZE);
  p->sections = dse_le32(p->bytes + SECTIONS);
  p->entry = dse_le32(p->bytes + ENTRY);
  if (p->size != length) return DSE_ERR_LENGTH;
  if (p->entry < DSE_PACKAGE_ENTRY || p->entry % 4 || dse_le32(p->bytes + RESERVED)) return DSE_ERR_MALFORMED;
  if (p->sections > (length - DSE_PACKAGE_HEADER - DSE_PACKAGE_TRAILER) / p->entry) return DSE_ERR_LENGTH;
  crc = dse_crc32c(0, p->bytes, DSE_PACKAGE_CHECK);
  crc = dse_crc32c(crc, no_crc, 4);
  crc = dse_crc32c(crc, p->bytes + DSE_PACKAGE_HEADER, p->sections * p->entry);
  if (crc != dse_le32(p->bytes + DSE_PACKAGE_CHECK)) return DSE_ERR_CRC;
  for (i = 0; i < p->sections && status == DSE_OK; ++i) {
    status = dse_package_section(p, i, &s);
    if (status == DSE_OK && s.flags & DSE_SECTION_REQUIRED && !is_known(s.kind)) status = DSE_ERR_UNSUPPORTED;
  }
  return status;
}

int dse_package_open(dse_package* p, const void* package, uint32_t length) {
  const int status = dse_package_open_header(p, package, length);
#ifndef DSE_TRUST_PACKAGE
  if (status == DSE_OK) {
    const uint32_t body = length - DSE_PACKAGE_TRAILER;
    if (dse_crc32c(0, p->bytes, body) != dse_le32(p->bytes + body)) return DSE_ERR_CRC;
  }
#endif
  return status;
}

int dse_package_find(const dse_package* p, uint32_t kind, uint32_t number, dse_section* out) {
  uint32_t i;
  for (i = 0; i < p->sections; ++i)
    if (dse_package_section(p, i, out) == DSE_OK && out->kind == kind &&
        (number == DSE_NO_SECTION || out->number == number))
      return 1;
  return 0;
}

uint32_t dse_package_points(const dse_package* p) {
  dse_section s;
  return dse_package_find(p, DSE_SECTION_POINTS, DSE_NO_SECTION, &s) ? s.size / DSE_PACKAGE_POINT : 0;
}

int dse_package_point(const dse_package* p, uint32_t index, dse_point_entry* out) {
  dse_section s;
  uint32_t weights;
  int status;
  if (index >= dse_package_points(p)) return DSE_ERR_POINT;
  (void)dse_package_find(p, DSE_SECTION_POINTS, DSE_NO_SECTION, &s);
  s.bytes += index * DSE_PACKAGE_POINT;
  weights = dse_le32(s.bytes + 4);
  out->ticks = dse_le32(s.bytes + 8) | (uint64_t)dse_le32(s.bytes + 12) << 32;
  memset(&out->weights, 0, sizeof out->weights);
  status = dse_package_section(p, dse_le32(s.bytes), &out->program);
  if (status == DSE_OK && weights != DSE_NO_SECTION) status = dse_package_section(p, weights, &out->weights);
  return status;
}
