#include "dse_exec.h"

#include <string.h>

#include "dse_bounds.h"
#include "dse_transfer.h"

static int status_of(enum dse_fault fault) {
  return fault == DSE_FITS              ? DSE_OK
         : fault == DSE_FAULT_MALFORMED ? DSE_ERR_MALFORMED
         : fault == DSE_FAULT_OPERAND   ? DSE_ERR_OPERAND
                                        : DSE_ERR_ARENA;
}

/* What the view of a role may look at: its arena, of which constants are not to be written. */
static dse_room room_of(const dse_runtime* rt, const dse_task* t, int role) {
  const uint32_t arena = t->arena[role];
  const int64_t at = t->view[role].base ? t->view[role].base - rt->arena[arena] : 0;
  dse_room room;
  room.from = -at;
  room.writable = (int32_t)arena == rt->constants_arena ? (int64_t)rt->constants_size - at : -at;
  room.to = (int64_t)rt->arena_size[arena] - at;
  return room;
}

static int check_call(const dse_runtime* rt, const dse_task* t) {
  dse_room room[DSE_ROLES];
  int role;
  for (role = 0; role < DSE_ROLES; ++role) room[role] = room_of(rt, t, role);
  return status_of(dse_call_fault(&t->op, &t->tile, t->view, room));
}

static int check_box(const dse_runtime* rt, const dse_task* t, int role, int32_t elem, int write) {
  const dse_room room = room_of(rt, t, role);
  dse_box b;
  b.h = t->tile.y;
  b.w = t->tile.x;
  b.c = t->tile.c;
  b.touched = 1;
  return status_of(dse_box_fault(&t->view[role], b, elem, &room, write));
}

int dse_check(const dse_runtime* rt, const dse_task* t) {
  int status = DSE_OK;
  int32_t elem;
  switch (t->kind) {
    case DSE_TASK_WAIT:
      return DSE_OK;
    case DSE_TASK_CALL:
      return check_call(rt, t);
    case DSE_TASK_COPY:
      elem = t->view[DSE_OUT].elem > 1 ? t->view[DSE_OUT].elem : 1;
      if (!t->fill) status = check_box(rt, t, DSE_IN0, elem, 0);
      return status != DSE_OK ? status : check_box(rt, t, DSE_OUT, elem, 1);
    case DSE_TASK_STREAM: /* what executes it looks at every address */
      return rt->stream ? DSE_OK : DSE_ERR_UNSUPPORTED;
    default:
      return DSE_ERR_UNSUPPORTED;
  }
}

int dse_execute(const dse_runtime* rt, const dse_task* t) {
  const int status = dse_check(rt, t);
  dse_call call;
  if (status != DSE_OK) return status;
  if (t->kind == DSE_TASK_STREAM) return rt->stream(rt->stream_state, rt, t);
  if (t->kind == DSE_TASK_COPY)
    dse_transfer(&t->view[DSE_OUT], t->fill ? 0 : &t->view[DSE_IN0], t->tile.y, t->tile.x, t->tile.c, t->value);
  if (t->kind != DSE_TASK_CALL) return DSE_OK;
  call.op = &t->op;
  call.tile = t->tile;
  memcpy(call.view, t->view, sizeof call.view);
  return dse_run_call(&call) == 0 ? DSE_OK : DSE_ERR_OPERAND;
}
