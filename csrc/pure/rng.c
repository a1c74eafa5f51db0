#include "pure/rng.h"

#include <assert.h>

/* splitmix64 (Steele, Lea and Flood 2014). */
static uint64_t splitmix(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

void tare_rng_seed(tare_rng *rng, uint64_t seed) {
  int i;
  for (i = 0; i < 4; i++) rng->s[i] = splitmix(&seed);
}

void tare_rng_indices(tare_rng *rng, uint32_t *index, size_t n,
                      uint64_t bound) {
  tare_rng local = *rng; /* in registers */
  size_t i;
  assert(bound >= 1 && bound <= (uint64_t)1 << 32);
  for (i = 0; i + 1 < n; i += 2) {
    uint64_t word = tare_rng_next(&local);
    index[i] = (uint32_t)tare_low_below(word, bound);
    index[i + 1] = (uint32_t)tare_high_below(word, bound);
  }
  if (i < n) index[i] = (uint32_t)tare_low_below(tare_rng_next(&local), bound);
  *rng = local;
}
