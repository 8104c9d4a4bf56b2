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
/* Instructions between the last two of these calls, by the core's timer, which follows them where QEMU runs with
 * -icount. Neither is for images that use the timer otherwise. */
void emulate_count(void);
void emulate_count_end(void);
uint32_t emulate_counted(void); /* 0: nothing was counted, or more than 32 bits hold */
/* Called by the timer of the core (SysTick). */
extern void (*emulate_on_tick)(void);

#endif
