/* Start-up of an emulated Cortex-M: vectors, memory, floating point, and semihosting to speak and to end. No library.
 */
#include "emulate.h"

extern uint32_t emulate_data_from[], emulate_data[], emulate_data_end[], emulate_bss[], emulate_bss_end[];
extern uint32_t emulate_stack[], emulate_stack_top[];

enum { PAINT = 0x5aa55aa5, SYS_WRITE0 = 0x04, SYS_EXIT_EXTENDED = 0x20, ADP_STOPPED = 0x20026 };

static int semihosting(uint32_t operation, const void* argument) {
  register uint32_t r0 __asm__("r0") = operation;
  register const void* r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return (int)r0;
}

void emulate_say(const char* text) { (void)semihosting(SYS_WRITE0, text); }

void emulate_number(const char* name, uint32_t value) {
  char text[11];
  int at = 10;
  text[at] = 0;
  do {
    text[--at] = (char)('0' + value % 10);
    value /= 10;
  } while (value > 0);
  emulate_say(name);
  emulate_say(" ");
  emulate_say(text + at);
  emulate_say("\n");
}

void emulate_end(int code) {
  uint32_t block[2];
  block[0] = ADP_STOPPED;
  block[1] = (uint32_t)code;
  for (;;) (void)semihosting(SYS_EXIT_EXTENDED, block);
}

uint32_t emulate_stack_used(void) {
  const uint32_t* p = emulate_stack;
  while (p < emulate_stack_top && *p == PAINT) ++p;
  return (uint32_t)(emulate_stack_top - p) * 4;
}

static void fault(void) {
  emulate_say("fault\n");
  emulate_end(99);
}

/* Set by what uses the timer of the core. */
void (*emulate_on_tick)(void);
static void tick(void) {
  if (emulate_on_tick) emulate_on_tick();
}

enum { TIMER_TICKS = 1 << 24, TURNS = 1 << 20 };
static volatile uint32_t* const timer = (volatile uint32_t*)0xe000e010u; /* SYST_CSR, _RVR, _CVR */
static volatile uint32_t emulate_laps;
static uint64_t emulate_last_count;

static void lap(void) { ++emulate_laps; }

static void start_timer(void) {
  emulate_on_tick = lap;
  emulate_laps = 0;
  timer[1] = TIMER_TICKS - 1;
  timer[2] = 0;
  timer[0] = 7; /* on, interrupts, the core's clock */
}

static uint64_t stop_timer(void) {
  const uint32_t left = timer[2];
  timer[0] = 0;
  return (uint64_t)emulate_laps * TIMER_TICKS + (TIMER_TICKS - 1 - left);
}

void emulate_count(void) { start_timer(); }

/* A loop of two instructions a turn tells how many a tick is: boards have other clocks. */
void emulate_count_end(void) {
  const uint64_t ticks = stop_timer();
  uint32_t turns = TURNS;
  uint64_t of_turns;
  start_timer();
  __asm__ volatile("1: subs %0, %0, #1\n bne 1b" : "+r"(turns) : : "cc");
  of_turns = stop_timer();
  emulate_last_count = of_turns ? ticks * (2u * TURNS) / of_turns : 0;
}

uint32_t emulate_counted(void) { return emulate_last_count >> 32 ? 0 : (uint32_t)emulate_last_count; }

void emulate_reset(void);
void emulate_reset(void) {
  uint32_t* p;
  const uint32_t* from = emulate_data_from;
  uint32_t* volatile sp;                          /* what lies below is not in use yet */
  *(volatile uint32_t*)0xe000ed88u |= 0xfu << 20; /* CPACR: floating point and Helium */
#if defined(__ARM_FEATURE_MVE)
  *(volatile uint32_t*)0xe000ed14u |= 1u << 19; /* CCR.LOB: low-overhead loops */
#endif
  __asm__ volatile("dsb\n isb" ::: "memory");
  __asm__ volatile("mov %0, sp" : "=r"(sp));
  for (p = emulate_stack; p < sp - 16; ++p) *p = PAINT;
  for (p = emulate_data; p < emulate_data_end; ++p) *p = *from++;
  for (p = emulate_bss; p < emulate_bss_end; ++p) *p = 0;
  emulate_end(emulate_main());
}

__attribute__((section(".vectors"), used)) static void (*const vectors[16])(void) = {
    (void (*)(void))(uintptr_t)emulate_stack_top,
    emulate_reset,
    fault,
    fault,
    fault,
    fault,
    fault,
    fault,
    fault,
    fault,
    fault,
    fault,
    fault,
    fault,
    fault,
    tick};
