/* Executes one decoded task on the processor itself. Ports call this for what they have no engine for. */
#ifndef DSE_EXEC_H
#define DSE_EXEC_H
#include "dse_runtime.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Every byte that the task touches lies in its arena, and none that it writes in read-only constants. */
int dse_check(const dse_runtime* rt, const dse_task* task);
/* Checks the task, then copies or calls. Waits do nothing. Streams and foreign kinds: DSE_ERR_UNSUPPORTED. */
int dse_execute(const dse_runtime* rt, const dse_task* task);

#ifdef __cplusplus
}
#endif
#endif
