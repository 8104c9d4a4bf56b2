/* The memory of the adapters, of which a test says how much there is. */
#include <stdint.h>

uint8_t dse_cmsis_memory[1 << 20];
uint32_t dse_cmsis_memory_bytes, dse_cmsis_calls;

void set_cmsis_memory(uint32_t bytes) { dse_cmsis_memory_bytes = bytes; }
