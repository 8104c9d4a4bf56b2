/* Walks an encoded program (plan.dse) on the target. C99, no heap, no globals, no libc beyond memcpy and memset.
 *
 * The plan says which tasks run, on which in-order queue, and which completions each needs before it starts. The
 * runtime decodes them one after the other, in issue order; a port hands them to the engines. The format is in
 * docs/run/package.md of the project. Plans are untrusted bytes: every function here that meets a malformed one returns
 * an error. */
#ifndef DSE_RUNTIME_H
#define DSE_RUNTIME_H
#include <stdint.h>

#include "dse_kernels.h"
#ifdef __cplusplus
extern "C" {
#endif

#define DSE_PLAN_FORMAT 2
enum {
  DSE_MAX_LOOPS = 4,
  DSE_MAX_SLOTS = 16,
  DSE_MAX_HISTORY = 4,
  DSE_MAX_QUEUES = 20,
  DSE_MAX_ARENAS = 8,
  DSE_TABLE = 32,
  DSE_VIEW_FIELDS = 12
};

enum dse_error {
  DSE_OK = 0,
  DSE_ERR_MAGIC = -1,       /* not a plan */
  DSE_ERR_FORMAT = -2,      /* of a newer format */
  DSE_ERR_LENGTH = -3,      /* cut short, or longer than it says */
  DSE_ERR_CRC = -4,         /* damaged */
  DSE_ERR_MALFORMED = -5,   /* an index, count or code out of range */
  DSE_ERR_UNSUPPORTED = -6, /* a task that this runtime cannot execute (NPU stream, unknown kind) */
  DSE_ERR_ARENA = -7,       /* an arena was not given, or a task looks outside it */
  DSE_ERR_OPERAND = -8,     /* an operand of a call is absent */
  DSE_ERR_ORDER = -9,       /* a task waits for one that is not issued yet: it would never start */
  DSE_ERR_PORT = -10,       /* reported by a port: an engine failed */
  DSE_ERR_WEIGHTS = -11,    /* the constants are damaged */
  DSE_ERR_TASKS = -12       /* more tasks or instructions than the plan says, or fewer */
};

/* "Queue `queue` has completed `count` tasks." Queues complete in order. */
typedef struct dse_completion {
  int32_t queue, count;
} dse_completion;

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
  dse_op op;
  const uint8_t* payload; /* of a stream or a foreign kind */
  uint32_t payload_bytes;
} dse_task;

typedef struct dse_port_info {
  uint32_t arena, offset, size;
} dse_port_info; /* a network input or output */

/* The decoder's memory, a loop, a slot: private. */
typedef struct dse_view_entry {
  int32_t field[DSE_VIEW_FIELDS];
} dse_view_entry;
typedef struct dse_range {
  int32_t lo, hi, limit, step, loop;
} dse_range;
typedef struct dse_frame {
  uint32_t body;
  int32_t count, index;
  uint8_t views, ranges;
} dse_frame;
typedef struct dse_slot {
  int32_t size;
  dse_completion history[DSE_MAX_HISTORY];
} dse_slot;

/* All of the state. Members are private; use the functions below. */
typedef struct dse_runtime {
  const uint8_t* plan;
  uint32_t end, preloads, inputs, outputs, operators, code; /* positions; `end` excludes the CRC */
  uint32_t preload_count, input_count, output_count, operator_count, section_count;
  uint32_t task_count, step_count; /* of a run; steps are instructions */
  uint32_t constants_size;
  int32_t constants_arena, arena_count, queue_count;
  uint32_t arena_size[DSE_MAX_ARENAS];
  uint8_t arena_alignment[DSE_MAX_ARENAS]; /* log2 */
  uint8_t* arena[DSE_MAX_ARENAS];
  uint8_t queue_engine[DSE_MAX_QUEUES], queue_channel[DSE_MAX_QUEUES];
  /* walk */
  uint32_t pc;
  uint32_t tasks_left, steps_left;
  int32_t depth, section, waits;
  int32_t loops[DSE_MAX_LOOPS];
  int32_t issued[DSE_MAX_QUEUES];
  dse_frame frame[DSE_MAX_LOOPS];
  dse_slot slot[DSE_MAX_SLOTS];
  int32_t view_count, range_count;
  dse_view_entry views[DSE_TABLE];
  dse_range ranges[DSE_TABLE];
  uint32_t op_index; /* of the operator in `op` */
  dse_op op;
} dse_runtime;

/* Checks the whole plan (length, format, CRC, every index) and reads its tables. Nothing is bound yet. */
int dse_open(dse_runtime* rt, const uint8_t* plan, uint32_t length);
/* Binds arenas and constants and copies resident weights. `arenas[i]` holds dse_arena_size(rt, i) bytes, aligned as
 * dse_arena_alignment() says; that of the constants arena may be null: the constants themselves are used. Behind the
 * dse_constants_size() bytes of constants their CRC-32 is expected and checked, unless this file's .c is compiled with
 * DSE_TRUST_WEIGHTS. */
int dse_bind(dse_runtime* rt, uint8_t* const* arenas, const uint8_t* constants);
/* dse_open, then dse_bind. */
int dse_init(dse_runtime* rt, const uint8_t* plan, uint32_t length, uint8_t* const* arenas, const uint8_t* constants);

int32_t dse_arena_count(const dse_runtime* rt);
uint32_t dse_arena_size(const dse_runtime* rt, int32_t arena);
uint32_t dse_arena_alignment(const dse_runtime* rt, int32_t arena);
int32_t dse_constants_arena(const dse_runtime* rt); /* -1: none */
uint32_t dse_constants_size(const dse_runtime* rt);
uint32_t dse_task_count(const dse_runtime* rt); /* of one run, waits included */
uint32_t dse_step_count(const dse_runtime* rt); /* instructions that one run decodes */
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
enum dse_step { DSE_STEP_END = 0, DSE_STEP_TASK = 1, DSE_STEP_NONE = 2 };
int dse_step(dse_runtime* rt, dse_task* task); /* enum dse_step or enum dse_error */
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
int dse_run_program(dse_runtime* rt, const dse_port* port);

#ifdef __cplusplus
}
#endif
#endif
