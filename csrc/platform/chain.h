/*
** A software cycle counter: chains of dependent register operations whose
** latency in core cycles is known, so that their time tells how long a core
** cycle is at this moment. Dividing the time of a batch by it turns
** nanoseconds into core cycles, and takes out the drift of the core's clock.
** What it can do and what it can't was measured: docs/cycles.md.
*/
#ifndef TARE_CHAIN_H
#define TARE_CHAIN_H

#include <stddef.h>
#include <stdint.h>

#include "platform/clock.h"

/* Core cycles that one step of each chain takes. */
#define TARE_CHAIN_ADD_CYCLES 2      /* add, xor: 1 + 1 */
#define TARE_CHAIN_MULTIPLY_CYCLES 4 /* multiply, xor: 3 + 1 */

/* Default length of a reading: about 10 us at 3 GHz. */
#define TARE_CHAIN_STEPS 16384

typedef uint64_t (*tare_chainfn)(uint64_t x, size_t steps);

/*
** The chains. 'steps' is rounded up to a multiple of 8. The result depends on
** every step; x -> result is one-to-one, so nothing can be left out.
** An add with a register whose value the compiler can't know: cores that fold
** adds of small constants away (Golden Cove and later) don't fold it.
*/
uint64_t tare_chain_add(uint64_t x, size_t steps);
uint64_t tare_chain_multiply(uint64_t x, size_t steps);

typedef struct tare_chain_reading {
  double cycle_ns; /* length of a core cycle in its quickest part; NaN if the
                      clock did not move */
  double spread;   /* slowest part over quickest: above 1.1, something came in
                      between; NaN with cycle_ns */
} tare_chain_reading;

/*
** Times 'steps' steps of the add chain in parts that are read apart, so an
** interrupt hits one part and the others still tell the core's speed.
** Requires steps >= 1. Use it only on a clock whose resolution is far below
** the length of a part: see tare_chain_suits.
*/
tare_chain_reading tare_chain_read(const tare_clock *c, size_t steps);

/* The 'cycle_ns' of a reading alone. */
double tare_chain_cycle_ns(const tare_clock *c, size_t steps);

/* Nanoseconds a step of 'chain', in one stretch. Requires steps >= 1. */
double tare_chain_step_ns(const tare_clock *c, tare_chainfn chain,
                          size_t steps);

/* Whether a clock of this resolution can time the default reading to 1 %. */
int tare_chain_suits(double resolution_ns);

#endif
