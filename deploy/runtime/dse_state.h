/* What a walk over a plan knows: errors, and the memory of the decoder. */
#ifndef DSE_STATE_H
#define DSE_STATE_H
#include <stdint.h>

#include "dse_format.h"
#include "dse_kernels.h"

enum dse_error {
  DSE_OK = 0,
  DSE_ERR_MAGIC = -1,       /* not a package, or not a plan */
  DSE_ERR_FORMAT = -2,      /* of another format */
  DSE_ERR_LENGTH = -3,      /* cut short, or longer than it says */
  DSE_ERR_CRC = -4,         /* damaged */
  DSE_ERR_MALFORMED = -5,   /* an index, count or code out of range */
  DSE_ERR_UNSUPPORTED = -6, /* a task that this runtime cannot execute (a stream without an executor, unknown kind), or
                               a required section that it does not know */
  DSE_ERR_ARENA = -7,       /* an arena was not given or is too small, or a task looks outside it */
  DSE_ERR_OPERAND = -8,     /* an operand of a call is absent */
  DSE_ERR_ORDER = -9,       /* a task waits for one that is not issued yet: it would never start */
  DSE_ERR_PORT = -10,       /* reported by a port: an engine failed */
  DSE_ERR_POINT = -11,      /* a package without a point that fits the arenas */
  DSE_ERR_TASKS = -12,      /* more tasks or instructions than the plan says, or fewer */
  DSE_ERR_ALIGNMENT = -13,  /* an arena, the weights or a buffer is not aligned as it must be */
  DSE_ERR_SEALED = -14,     /* an encrypted package: open it with dse_unseal() */
  DSE_ERR_KEY = -15         /* an encrypted package that was changed, or another key */
};

/* "Queue `queue` has completed `count` tasks." Queues complete in order. */
typedef struct dse_completion {
  int32_t queue, count;
} dse_completion;

/* Memory for an arena of a plan. */
typedef struct dse_arena {
  uint8_t* base;
  uint32_t size;
} dse_arena;

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

struct dse_runtime;
struct dse_task;
/* Executes a command stream of an NPU; an error where it cannot. */
typedef int (*dse_stream_executor)(void* state, const struct dse_runtime* rt, const struct dse_task* task);

/* All of the state. Members are private; use the functions below. */
typedef struct dse_runtime {
  const uint8_t* plan;
  uint32_t end, preloads, inputs, outputs, operators, code; /* positions; `end` excludes the CRC */
  uint32_t preload_count, input_count, output_count, operator_count, section_count;
  uint32_t task_count, step_count; /* of a run; steps are instructions */
  uint32_t constants_size;
  uint32_t point; /* of the package */
  int32_t constants_arena, arena_count, queue_count;
  uint32_t arena_size[DSE_MAX_ARENAS];
  uint8_t arena_alignment[DSE_MAX_ARENAS]; /* log2 */
  uint8_t* arena[DSE_MAX_ARENAS];
  uint8_t queue_engine[DSE_MAX_QUEUES], queue_channel[DSE_MAX_QUEUES];
  dse_stream_executor stream; /* null: there is none */
  void* stream_state;
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

#endif
