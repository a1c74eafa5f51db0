/*
** A predictor keeps what it has learnt from other code, and predicts from the
** branches before. So the branches of a loop may be predicted worse for tens of
** milliseconds, because of code that ran before it. How many branches at how
** many addresses clear the predictor was tried on an AMD EPYC (Zen 4): 512
** addresses do not suffice in 60 passes, 1,024 do in 20 and 2,048 in 6.
*/
#include "platform/predictor.h"

enum { PASSES = 10 };

/* Volatile stores, so that each is a branch and no arithmetic. */
#define BRANCH                                                                 \
  if (bits & 1)                                                                \
    left = 1;                                                                  \
  else                                                                         \
    right = 1;                                                                 \
  bits >>= 1;
#define BRANCHES_4 BRANCH BRANCH BRANCH BRANCH
#define BRANCHES_16 BRANCHES_4 BRANCHES_4 BRANCHES_4 BRANCHES_4
/* Marsaglia, "Xorshift RNGs", 2003; the low bits are the poorer ones. */
#define BRANCHES_32                                                            \
  random ^= random << 13;                                                      \
  random ^= random >> 7;                                                       \
  random ^= random << 17;                                                      \
  bits = (uint32_t)(random >> 32);                                             \
  BRANCHES_16 BRANCHES_16
#define BRANCHES_128 BRANCHES_32 BRANCHES_32 BRANCHES_32 BRANCHES_32
#define BRANCHES_512 BRANCHES_128 BRANCHES_128 BRANCHES_128 BRANCHES_128

uint64_t tare_predictor_clear(uint64_t random) {
  volatile unsigned char left = 0, right = 0;
  uint32_t bits;
  for (int pass = 0; pass < PASSES; pass++) {
    BRANCHES_512 BRANCHES_512 BRANCHES_512 BRANCHES_512
  }
  (void)left;
  (void)right;
  return random;
}
