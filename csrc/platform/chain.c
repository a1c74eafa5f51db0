#include "platform/chain.h"

#include <assert.h>
#include <math.h>

#define UNROLLED 8
#define PARTS 4
#define FASTEST_GHZ 5.0

/*
** Odd and far from sparse: as a multiplier one-to-one modulo 2^64, and too
** long for an immediate operand even where the compiler saw through the
** volatile (the constants are those of splitmix64: Steele, Lea and Flood,
** 'Fast splittable pseudorandom number generators', 2014).
*/
#define OPAQUE_A 0x9e3779b97f4a7c15u
#define OPAQUE_B 0xbf58476d1ce4e5b9u

/* The steps of one round, each waiting for the one before. */
#define EIGHT(STEP) STEP STEP STEP STEP STEP STEP STEP STEP

uint64_t tare_chain_add(uint64_t x, size_t steps) {
  volatile uint64_t hidden_a = OPAQUE_A, hidden_b = OPAQUE_B;
  const uint64_t a = hidden_a, b = hidden_b;
  size_t i;
  for (i = 0; i < steps; i += UNROLLED) {
    EIGHT(x = (x + a) ^ b;)
  }
  return x;
}

uint64_t tare_chain_multiply(uint64_t x, size_t steps) {
  volatile uint64_t hidden_a = OPAQUE_A, hidden_b = OPAQUE_B;
  const uint64_t a = hidden_a, b = hidden_b;
  size_t i;
  /* Without the xor, products by 'a' would be gathered into one by a^8. */
  for (i = 0; i < steps; i += UNROLLED) {
    EIGHT(x = (x * a) ^ b;)
  }
  return x;
}

static size_t rounded(size_t steps) {
  return (steps + UNROLLED - 1) / UNROLLED * UNROLLED;
}

/* Elapsed nanoseconds of 'steps' steps. */
static double elapsed_ns(const tare_clock *c, tare_chainfn chain,
                         size_t steps) {
  uint64_t start = tare_now(c);
  volatile uint64_t sink = chain(start, steps);
  (void)sink;
  return (double)(tare_now(c) - start);
}

double tare_chain_step_ns(const tare_clock *c, tare_chainfn chain,
                          size_t steps) {
  assert(steps >= 1);
  return elapsed_ns(c, chain, steps) / (double)rounded(steps);
}

tare_chain_reading tare_chain_read(const tare_clock *c, size_t steps) {
  tare_chain_reading r = {NAN, NAN};
  size_t part = rounded((steps + PARTS - 1) / PARTS);
  double quickest = INFINITY, slowest = 0.0;
  int i;
  assert(steps >= 1);
  for (i = 0; i < PARTS; i++) {
    double ns = elapsed_ns(c, tare_chain_add, part);
    quickest = fmin(quickest, ns);
    slowest = fmax(slowest, ns);
  }
  if (quickest <= 0.0) return r;
  r.cycle_ns = quickest / ((double)part * TARE_CHAIN_ADD_CYCLES);
  r.spread = slowest / quickest;
  return r;
}

double tare_chain_cycle_ns(const tare_clock *c, size_t steps) {
  return tare_chain_read(c, steps).cycle_ns;
}

int tare_chain_suits(double resolution_ns) {
  double cycles = (double)TARE_CHAIN_STEPS * TARE_CHAIN_ADD_CYCLES / PARTS;
  return resolution_ns > 0.0 && resolution_ns <= cycles / FASTEST_GHZ / 100.0;
}
