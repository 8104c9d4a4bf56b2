/* Whether a call stays inside the memory that its operands have. */
#ifndef DSE_BOUNDS_H
#define DSE_BOUNDS_H
#include "dse_kernels.h"
#ifdef __cplusplus
extern "C" {
#endif

/* What an operand may look at: bytes [from, to) counted from its view's base, of which those from `writable` on may be
 * written. */
typedef struct dse_room {
  int64_t from, writable, to;
} dse_room;

enum dse_fault {
  DSE_FITS = 0,
  DSE_FAULT_MALFORMED = 1, /* a tile that is none of the operator's, elements of unequal width */
  DSE_FAULT_OPERAND = 2,   /* an operand is absent */
  DSE_FAULT_OUTSIDE = 3    /* a byte that is not its own */
};

/* Of elements of `elem` bytes in a box of coordinates. An empty box touches nothing. */
enum dse_fault dse_box_fault(const dse_view* v, dse_box box, int32_t elem, const dse_room* room, int write);
/* Of all operands of a call. `view` and `room`: by role. The operator is sane (dse_op_is_sane()). */
enum dse_fault dse_call_fault(const dse_op* op, const dse_tile* tile, const dse_view* view, const dse_room* room);

#ifdef __cplusplus
}
#endif
#endif
