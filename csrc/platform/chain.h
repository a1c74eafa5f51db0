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
** 1 where the latencies below are those of the processors: x86 and ARM, of 32
** and 64 bits. On others the chain is not read (tare_chain_suitable_steps
** returns 0), since its latency is not known.
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

/* Operations of one step of the wide chain, without those that join it. */
#define TARE_CHAIN_WIDE_OPS 12

/* Default length of a reading, about 11 us in all at 3 GHz; and the least. */
#define TARE_CHAIN_STEPS 8192
#define TARE_CHAIN_MIN_STEPS 4096

typedef uintptr_t (*tare_chainfn)(uintptr_t x, size_t steps);

/*
** The chains. 'steps' is rounded up to a multiple of 8. The result depends on
** every step, and x -> result is one-to-one, so that a compiler can leave
** nothing out. Adds have a register operand whose value the compiler can't
** know: cores that fold away adds of small constants (Golden Cove and later)
** don't fold these.
*/
uintptr_t tare_chain_add(uintptr_t x, size_t steps);
uintptr_t tare_chain_multiply(uintptr_t x, size_t steps);

/*
** Six add chains side by side: as many operations per cycle as the core has
** units for them. A single chain leaves most of the core idle, so another
** hardware thread on the same core does not slow it. It slows the wide chain,
** as it slows any interpreter. Every eight steps the six are joined to one and
** begin anew: chains that are never joined drift apart into one of several
** patterns, and stay there (on a core with six units for them, 4.45 or 4.73
** operations per cycle, drawn anew for each reading).
*/
uintptr_t tare_chain_wide(uintptr_t x, size_t steps);

typedef struct tare_chain_reading {
  double cycle_ns; /* length of a core cycle; NaN if the clock did not move */
  double width;    /* operations per core cycle that the wide chain got: falls
                      when the core's other thread is busy, whatever the clock
                      does; NaN if cycle_ns is */
  double spread;   /* slowest part divided by quickest: from 1.05 on, slow parts
                      were disturbed, and left out; NaN if cycle_ns is */
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
** Looks for about 'ns', and returns the share of that time, in [0, 1), in which
** the core did something else: other processes, interrupts, and what no counter
** of the system shows, such as a host that gives the core of its virtual
** machine to others for some microseconds. It times the add chain in parts, as
** tare_chain_read does with so many 'steps': the time of parts beyond that of
** undisturbed ones is stolen. NaN if the clock did not move.
*/
double tare_chain_stolen(const tare_clock *c, size_t steps, double ns);

/* Nanoseconds per step of 'chain', in one stretch. Requires steps >= 1. */
double tare_chain_step_ns(const tare_clock *c, tare_chainfn chain,
                          size_t steps);

/*
** Steps for a reading with a clock of this resolution: the default, or more
** where the clock is coarse; 0 where it is too coarse to be worth it (above 4
** us), and where no latencies are known.
*/
size_t tare_chain_suitable_steps(double resolution_ns);

#endif
