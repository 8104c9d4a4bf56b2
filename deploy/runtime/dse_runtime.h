/* Runs a package (plan.dse) on the target. C99, no heap, no globals, no libc beyond memcpy and memset.
 *
 * The plan says which tasks run, on which in-order queue, and which completions each needs before it starts. The
 * runtime decodes them one after the other, in issue order; a port hands them to the engines. The format is in
 * docs/package-format.md of the project. Packages are untrusted bytes: every function here that meets a malformed one
 * returns an error. */
#ifndef DSE_RUNTIME_H
#define DSE_RUNTIME_H
#include <stdint.h>

#include "dse_state.h"
#ifdef __cplusplus
extern "C" {
#endif

enum dse_task_kind { DSE_TASK_COPY = 1, DSE_TASK_CALL = 2, DSE_TASK_STREAM = 3, DSE_TASK_WAIT = 4 };

/* One task, self-contained: it may be stored and run later. Operand views have their base bound.
 * Copy: view[DSE_IN0] -> view[DSE_OUT], or, with `fill`, OUT becomes `value`; box = (y, x, c) of `tile`.
 * Call: op, tile, views by role. */
typedef struct dse_task {
  int32_t kind;     /* enum dse_task_kind, or a foreign code (with `payload`) */
  int32_t queue;    /* -1: a wait */
  int32_t sequence; /* 1-based position in its queue; of waits: ordinal */
  int32_t section;
  int32_t after_count;
  dse_completion after[DSE_MAX_QUEUES]; /* at most one per queue */
  dse_tile tile;
  dse_view view[DSE_ROLES];
  uint8_t arena[DSE_ROLES];
  uint8_t fill, value;
  uint32_t op_index; /* of a call: which of the plan's operators */
  dse_op op;
  const uint8_t* payload; /* of a stream or a foreign kind: as program/kinds/ of the project write it */
  uint32_t payload_bytes;
} dse_task;

typedef struct dse_port_info {
  uint32_t arena, offset, size;
} dse_port_info; /* a network input or output */

/* Opens a package, checks it (dse_package_open), takes its fastest point that fits the arenas and binds that: weights
 * that nothing else shares an arena with are read where they are, resident ones are copied. `arenas[i]` is memory for
 * arena i, of any size; its base may be null where the plan has nothing there but constants. Returns DSE_ERR_POINT when
 * every point needs more, DSE_ERR_ALIGNMENT when an arena or the package is not aligned (docs: DSE_ARENA_<n>_ALIGNMENT,
 * 16 bytes). The package stays where it is, unchanged, as long as it is run. */
int dse_init(dse_runtime* rt, const void* package, uint32_t length, const dse_arena* arenas, int32_t count);
/* Which point of the package it was: 0 = the fastest. */
uint32_t dse_point(const dse_runtime* rt);

/* The two halves of dse_init for an encoded program by itself. The first checks it whole (length, format, CRC, every
 * index) and reads its tables. */
int dse_open(dse_runtime* rt, const uint8_t* plan, uint32_t length);
/* Binds arenas and the dse_constants_size() bytes of constants and copies resident weights. `arenas[i]` has at least
 * dse_arena_size(rt, i) bytes, aligned as dse_arena_alignment() says; the base of the constants arena may be null: the
 * constants themselves are used. */
int dse_bind(dse_runtime* rt, const dse_arena* arenas, int32_t count, const uint8_t* constants);

/* Who executes the command streams of an NPU, if the plan has some: after dse_init or dse_bind. Without one, they end
 * with DSE_ERR_UNSUPPORTED. dse_npu_attach() (dse_npu_emulation.h) has them emulated. */
static inline void dse_set_stream_executor(dse_runtime* rt, dse_stream_executor executor, void* state) {
  rt->stream = executor;
  rt->stream_state = state;
}

int32_t dse_arena_count(const dse_runtime* rt);
uint32_t dse_arena_size(const dse_runtime* rt, int32_t arena);
uint32_t dse_arena_alignment(const dse_runtime* rt, int32_t arena);
int32_t dse_constants_arena(const dse_runtime* rt); /* -1: none */
uint32_t dse_constants_size(const dse_runtime* rt);
uint32_t dse_task_count(const dse_runtime* rt);        /* of one run, waits included */
uint32_t dse_instruction_count(const dse_runtime* rt); /* instructions that one run decodes */
int32_t dse_queue_count(const dse_runtime* rt);
int32_t dse_queue_engine(const dse_runtime* rt, int32_t queue);
int32_t dse_input_count(const dse_runtime* rt);
int32_t dse_output_count(const dse_runtime* rt);
dse_port_info dse_input_info(const dse_runtime* rt, int32_t i);
dse_port_info dse_output_info(const dse_runtime* rt, int32_t i);
/* Where an input is to be written before, and an output read after, a run. Null if there is none. */
uint8_t* dse_input(const dse_runtime* rt, int32_t i);
const uint8_t* dse_output(const dse_runtime* rt, int32_t i);

/* Starts a walk at the first task. */
void dse_rewind(dse_runtime* rt);
/* Executes one instruction of the plan. */
enum dse_progress { DSE_STEP_END = 0, DSE_STEP_TASK = 1, DSE_STEP_NONE = 2 };
int dse_advance(dse_runtime* rt, dse_task* task); /* enum dse_progress or enum dse_error */
/* Next task in issue order. Returns 1, 0 at the end, or an error. */
int dse_next(dse_runtime* rt, dse_task* task);

/* How tasks reach the engines. `submit` is called in issue order: it puts the task into its queue, and may block while
 * that is full. `wait` returns when all of `after` are complete. Both return DSE_OK or an error. */
typedef struct dse_port {
  void* state;
  int (*submit)(void* state, const dse_runtime* rt, const dse_task* task);
  int (*wait)(void* state, const dse_runtime* rt, const dse_completion* after, int32_t count);
} dse_port;

/* One inference: walks the plan and waits for the last task. */
int dse_run(dse_runtime* rt, const dse_port* port);
/* The same task by task, for cooperative scheduling: hands the next task to the port. After dse_init or dse_rewind it
 * starts at the first. Returns 1, 0 once all are done, or an error. The port's state must be new at the start. */
int dse_step(dse_runtime* rt, const dse_port* port);

#ifdef __cplusplus
}
#endif
#endif
