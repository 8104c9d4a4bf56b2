/* The NPU of a plan, emulated: its command streams are executed on this processor, with the bytes that the NPU makes
 * and not its speed. They are streams of the simulated NPU: what runs on Arm's hardware its compiler makes. On a device
 * with an NPU, dse_set_stream_executor() is where that is called. */
#ifndef DSE_NPU_EMULATION_H
#define DSE_NPU_EMULATION_H
#include "dse_runtime.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Working memory of the emulation, aligned to 8 bytes: decoded weights, what an operator keeps from piece to piece. An
 * NPU has it inside, so it is none of the plan's arenas. */
typedef struct dse_npu_emulation {
  uint8_t* memory;
  uint32_t bytes;
} dse_npu_emulation;

/* Has the streams of a plan emulated: after dse_init or dse_bind. */
void dse_npu_attach(dse_runtime* rt, const dse_npu_emulation* emulation);
/* Working memory that a stream needs, bytes; 0 for other tasks. */
uint32_t dse_npu_task_bytes(const dse_task* task);

#ifdef __cplusplus
}
#endif
#endif
