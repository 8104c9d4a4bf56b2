/* From a package to a plan that is ready to run. */
#include "dse_package.h"
#include "dse_runtime.h"

int dse_init(dse_runtime* rt, const void* package, uint32_t length, const dse_arena* arenas, int32_t count) {
  dse_package p;
  dse_point_entry e;
  dse_section sealed;
  uint32_t i;
  int status = dse_package_open(&p, package, length);
  if (status != DSE_OK) return status;
  if (dse_package_find(&p, DSE_SECTION_SEALED, DSE_NO_SECTION, &sealed)) return DSE_ERR_SEALED;
  if ((uintptr_t)package % DSE_SECTION_ALIGNMENT) return DSE_ERR_ALIGNMENT;
  for (i = 0; i < dse_package_points(&p); ++i) {
    status = dse_package_point(&p, i, &e);
    if (status == DSE_OK) status = dse_open(rt, e.program.bytes, e.program.size);
    if (status == DSE_OK && rt->constants_size > e.weights.size) status = DSE_ERR_MALFORMED;
    if (status != DSE_OK) return status;
    rt->point = i;
    status = dse_bind(rt, arenas, count, e.weights.bytes);
    if (status != DSE_ERR_ARENA) return status;
  }
  return DSE_ERR_POINT;
}
