#include "platform/chain.h"

#include <assert.h>
#include <math.h>

#define UNROLLED 8
#define PARTS 4
#define WIDE_SHARE 6 /* steps / this in a part: about as long as one of adds */
#define LOOKS 4
/*
** Parts that took this much longer than the quickest were interrupted. An add
** chain takes the same time each time, except for the ticks of the clock. A
** wide one takes up to twice as long beside a busy hardware thread, which must
** not be left out.
*/
#define ADD_DISTURBED 1.05
#define WIDE_DISTURBED 2.0
#define TICKS_A_PART 25
#define MAX_PART_NS 1e5
#define FASTEST_GHZ 5.0

/*
** Odd, so that a multiplication is one-to-one. They are too long for an
** immediate operand, even if a compiler saw through the volatile. (They are
** those of splitmix64: Steele, Lea and Flood, 'Fast splittable pseudorandom
** number generators', 2014).
*/
#define OPAQUE_A ((uintptr_t)0x9e3779b97f4a7c15u)
#define OPAQUE_B ((uintptr_t)0xbf58476d1ce4e5b9u)

/*
** Keeps 'x' in a general register at this point: else a compiler may join the
** chains that run side by side to a single one of vectors, which leaves the
** other units idle.
*/
#if defined(__GNUC__)
#define IN_REGISTER(x) __asm__ volatile("" : "+r"(x))
#else
#define IN_REGISTER(x) ((void)0)
#endif

/* The steps of one round, each waiting for the one before. */
#define EIGHT(STEP) STEP STEP STEP STEP STEP STEP STEP STEP

uintptr_t tare_chain_add(uintptr_t x, size_t steps) {
  volatile uintptr_t hidden_a = OPAQUE_A, hidden_b = OPAQUE_B;
  const uintptr_t a = hidden_a, b = hidden_b;
  size_t i;
  for (i = 0; i < steps; i += UNROLLED) {
    EIGHT(x = (x + a) ^ b;)
  }
  return x;
}

uintptr_t tare_chain_multiply(uintptr_t x, size_t steps) {
  volatile uintptr_t hidden_a = OPAQUE_A, hidden_b = OPAQUE_B;
  const uintptr_t a = hidden_a, b = hidden_b;
  size_t i;
  /*
  ** Without the xor, a compiler could join eight products by 'a' to one by a^8.
  */
  for (i = 0; i < steps; i += UNROLLED) {
    EIGHT(x = (x * a) ^ b;)
  }
  return x;
}

#define WIDE_STEP(x)                                                           \
  x = (x + a) ^ b;                                                             \
  IN_REGISTER(x);
#define FORK(x, from, by)                                                      \
  x = from ^ by;                                                               \
  IN_REGISTER(x);

uintptr_t tare_chain_wide(uintptr_t x, size_t steps) {
  volatile uintptr_t hidden_a = OPAQUE_A, hidden_b = OPAQUE_B;
  const uintptr_t a = hidden_a, b = hidden_b;
  uintptr_t y = x + 1, z = x + 2, u = x + 3, v = x + 4, w = x + 5;
  size_t i;
  for (i = 0; i < steps; i += UNROLLED) {
    EIGHT(WIDE_STEP(x) WIDE_STEP(y) WIDE_STEP(z) WIDE_STEP(u) WIDE_STEP(v)
              WIDE_STEP(w))
    x = (x ^ y) + (z ^ u) + (v ^ w);
    IN_REGISTER(x);
    FORK(y, x, 1) FORK(z, x, 2) FORK(u, x, 3) FORK(v, x, 4) FORK(w, x, 5)
  }
  return x ^ y ^ z ^ u ^ v ^ w;
}

static size_t rounded(size_t steps) {
  return (steps + UNROLLED - 1) / UNROLLED * UNROLLED;
}

typedef struct parts {
  int count;
  double ns[PARTS];
  double quickest, slowest;
} parts;

/* Times 'count' parts of 'steps' steps; one ends where the next begins. */
static parts time_parts(const tare_clock *c, tare_chainfn chain, size_t steps,
                        int count) {
  parts p = {0, {0.0}, INFINITY, 0.0};
  uint64_t mark[PARTS + 1];
  volatile uintptr_t sink;
  assert(count <= PARTS);
  mark[0] = tare_now(c);
  for (p.count = 0; p.count < count; p.count++) {
    sink = chain((uintptr_t)mark[p.count], steps);
    (void)sink;
    mark[p.count + 1] = tare_now(c);
  }
  while (count-- > 0) {
    p.ns[count] = (double)(mark[count + 1] - mark[count]);
    p.quickest = fmin(p.quickest, p.ns[count]);
    p.slowest = fmax(p.slowest, p.ns[count]);
  }
  return p;
}

/*
** Mean of the parts that took less than 'disturbed' times the quickest. A mean,
** since a single part is only as exact as the clock's tick, while all together
** have the error of two ticks, at their ends.
*/
static double undisturbed_ns(const parts *p, double disturbed) {
  double sum = 0.0;
  int i, n = 0;
  for (i = 0; i < p->count; i++) {
    if (p->ns[i] >= p->quickest * disturbed) continue;
    sum += p->ns[i];
    n++;
  }
  return sum / n;
}

/*
** The time that reading the clock adds to a part of 'part_ns', measured by a
** part of the fewest steps; 0 if an interrupt spoilt that.
*/
static double look_ns(const tare_clock *c, double part_ns) {
  parts p = time_parts(c, tare_chain_add, UNROLLED, LOOKS);
  double sum = 0.0;
  int i;
  for (i = 0; i < LOOKS; i++) sum += p.ns[i];
  return sum / LOOKS < part_ns / 4.0 ? sum / LOOKS : 0.0;
}

tare_chain_reading tare_chain_read(const tare_clock *c, size_t steps) {
  tare_chain_reading r = {NAN, NAN, NAN};
  size_t all = steps > TARE_CHAIN_MIN_STEPS ? steps : TARE_CHAIN_MIN_STEPS;
  size_t part = rounded(all / PARTS), wide_part = rounded(all / WIDE_SHARE);
  parts p = time_parts(c, tare_chain_add, part, PARTS);
  parts wide = time_parts(c, tare_chain_wide, wide_part, PARTS);
  double look;
  if (p.quickest <= 0.0 || wide.quickest <= 0.0) return r;
  look = look_ns(c, fmin(p.quickest, wide.quickest));
  r.cycle_ns = (undisturbed_ns(&p, ADD_DISTURBED) - look) /
               (double)((part - UNROLLED) * TARE_CHAIN_ADD_CYCLES);
  r.width = (double)((wide_part - UNROLLED) * TARE_CHAIN_WIDE_OPS) *
            r.cycle_ns / (undisturbed_ns(&wide, WIDE_DISTURBED) - look);
  r.spread = p.slowest / p.quickest;
  return r;
}

double tare_chain_stolen(const tare_clock *c, size_t steps, double ns) {
  enum { MOST = 64 };
  double all = 0.0, undisturbed = 0.0, part_ns[MOST * PARTS],
         quickest = INFINITY;
  size_t part = rounded(steps / PARTS);
  int count = 0, calm = 0, i;
  while (count < MOST * PARTS && all < ns) {
    parts p = time_parts(c, tare_chain_add, part, PARTS);
    if (p.quickest <= 0.0) return NAN;
    quickest = fmin(quickest, p.quickest);
    for (i = 0; i < PARTS; i++) {
      all += p.ns[i];
      part_ns[count++] = p.ns[i];
    }
  }
  for (i = 0; i < count; i++) {
    if (part_ns[i] >= quickest * ADD_DISTURBED) continue;
    undisturbed += part_ns[i];
    calm++;
  }
  return fmax(0.0, 1.0 - count * (undisturbed / calm) / all);
}

double tare_chain_step_ns(const tare_clock *c, tare_chainfn chain,
                          size_t steps) {
  assert(steps >= 1);
  return time_parts(c, chain, steps, 1).quickest / (double)rounded(steps);
}

size_t tare_chain_suitable_steps(double resolution_ns) {
  double part_ns = resolution_ns * TICKS_A_PART, steps;
  if (!TARE_CHAIN_IS_KNOWN) return 0;
  if (!(resolution_ns > 0.0) || part_ns > MAX_PART_NS) return 0;
  steps = part_ns * FASTEST_GHZ / TARE_CHAIN_ADD_CYCLES * PARTS;
  return steps > TARE_CHAIN_STEPS ? (size_t)steps : TARE_CHAIN_STEPS;
}
