/*
** Random numbers: xoshiro256** (Blackman and Vigna, "Scrambled linear
** pseudorandom number generators", 2021), seeded by splitmix64. A seed gives
** the same numbers on every platform.
*/
#ifndef TARE_RNG_H
#define TARE_RNG_H

#include <stddef.h>
#include <stdint.h>

typedef struct tare_rng {
  uint64_t s[4]; /* never all zero */
} tare_rng;

/* Fills the state with four numbers of splitmix64, started at 'seed'. */
void tare_rng_seed(tare_rng *rng, uint64_t seed);

static inline uint64_t tare_rotl(uint64_t x, int k) {
  return (x << k) | (x >> (64 - k));
}

/* The next 64 random bits. */
static inline uint64_t tare_rng_next(tare_rng *rng) {
  uint64_t *s = rng->s, result = tare_rotl(s[1] * 5, 7) * 9, t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = tare_rotl(s[3], 45);
  return result;
}

/*
** Two numbers in [0, bound) from the halves of one word, by multiply-shift
** (Lemire 2019, without the rejection: each number is off its share by less
** than bound / 2^32, which no resample can show). Requires bound <= 2^32.
*/
static inline size_t tare_low_below(uint64_t word, uint64_t bound) {
  return (size_t)(((word & 0xffffffffu) * bound) >> 32);
}
static inline size_t tare_high_below(uint64_t word, uint64_t bound) {
  return (size_t)(((word >> 32) * bound) >> 32);
}

/*
** Fills index[0..n-1] with numbers in [0, bound), two from each word, the low
** half first; where n is odd the last high half is dropped.
** Requires 1 <= bound <= 2^32.
*/
void tare_rng_indices(tare_rng *rng, uint32_t *index, size_t n, uint64_t bound);

#endif
