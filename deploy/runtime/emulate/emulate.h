/* What the self-test on an emulated Cortex-M uses of its board. */
#ifndef EMULATE_H
#define EMULATE_H
#include <stdint.h>

int emulate_main(void);
void emulate_say(const char* text);
void emulate_number(const char* name, uint32_t value);
void emulate_end(int code);
/* Bytes of the stack that were ever in use. */
uint32_t emulate_stack_used(void);
/* Called by the timer of the core (SysTick). */
extern void (*emulate_on_tick)(void);

#endif
