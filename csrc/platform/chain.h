/*
** A software cycle counter: chains of dependent register operations whose
** latency in core cycles is known, so that their time gives the length of a
** core cycle at this moment. Dividing the time of a batch by it turns
** nanoseconds into core cycles, and removes the drift of the core's clock.
** docs/cycles.md has measurements of its accuracy and limits.
*/
#ifndef TARE_CHAIN_H
#define TARE_CHAIN_H

#include <stddef.h>
#include <stdint.h>

#include "platform/clock.h"

/*
** Where the latencies below are those of the processors: x86 and ARM, of 32 and
** 64 bits. Others are not read (tare_chain_suitable_steps is 0): what is not
** known is absent.
*/
#if defined(__x86_64__) || defined(_M_X64) || defined(__i386__) ||             \
    defined(_M_IX86) || defined(__aarch64__) || defined(_M_ARM64) ||           \
    defined(__arm__)
#define TARE_CHAIN_IS_KNOWN 1
#else
#define TARE_CHAIN_IS_KNOWN 0
#endif

/* Core cycles that one step of a chain takes. */
#define TARE_CHAIN_ADD_CYCLES 2      /* add, xor: 1 + 1 */
#define TARE_CHAIN_MULTIPLY_CYCLES 4 /* multiply, xor: 3 + 1 */

/* Operations of one step of the wide chain; what joins it is not counted. */
#define TARE_CHAIN_WIDE_OPS 12

/* Default length of a reading, about 11 us in all at 3 GHz; and the least. */
#define TARE_CHAIN_STEPS 8192
#define TARE_CHAIN_MIN_STEPS 4096

typedef uintptr_t (*tare_chainfn)(uintptr_t x, size_t steps);

/*
** The chains. 'steps' is rounded up to a multiple of 8. The result depends on
** every step; x -> result is one-to-one, so nothing can be left out.
** An add with a register whose value the compiler can't know: cores that fold
** adds of small constants away (Golden Cove and later) don't fold it.
*/
uintptr_t tare_chain_add(uintptr_t x, size_t steps);
uintptr_t tare_chain_multiply(uintptr_t x, size_t steps);

/*
** Six add chains side by side: as many operations per cycle as the core has
** units for them. A single chain leaves most of the core idle, so another
** hardware thread on the same core does not slow it. It slows this one, as it
** slows any interpreter. Every eight steps the six are joined to one and begin
** anew: chains that are never joined drift apart into one of several patterns,
** and stay there (on a core with six units for them, 4.45 or 4.73 operations a
** cycle, drawn anew for each reading).
*/
uintptr_t tare_chain_wide(uintptr_t x, size_t steps);

typedef struct tare_chain_reading {
  double cycle_ns; /* length of a core cycle; NaN if the clock did not move */
  double width;    /* operations a core cycle that the wide chain got: falls
                      when the core's other thread is busy, whatever the
                      clock does; NaN with cycle_ns */
  double spread;   /* slowest part over quickest: above 1.1, something came in
                      between, and was left out; NaN with cycle_ns */
} tare_chain_reading;

/*
** Times 'steps' steps of the add chain, then the wide one for about as long, in
** parts that are timed separately: parts with an interrupt are left out. The
** time to read the clock is measured too, and subtracted. 'steps' is
** at least TARE_CHAIN_MIN_STEPS; less is raised to it. Requires a clock whose
** resolution is far below the length of a part: tare_chain_suitable_steps.
*/
tare_chain_reading tare_chain_read(const tare_clock *c, size_t steps);

/*
** The share of about 'ns' in which this core did something else than it was
** asked to, in [0, 1): other processes, interrupts, and what no counter of the
** system shows, a host that gives the core of its virtual machine to others for
** some microseconds. Times the add chain in parts, as tare_chain_read does with
** so many 'steps': what parts take beyond the undisturbed ones is stolen. NaN
** if the clock did not move.
*/
double tare_chain_stolen(const tare_clock *c, size_t steps, double ns);

/* Nanoseconds per step of 'chain', in one stretch. Requires steps >= 1. */
double tare_chain_step_ns(const tare_clock *c, tare_chainfn chain,
                          size_t steps);

/*
** Steps for a reading with a clock of this resolution: the default, or more
** where the clock is coarse; 0 where it is too coarse to be worth it (2 us), and
** where no latencies are known.
*/
size_t tare_chain_suitable_steps(double resolution_ns);

#endif
