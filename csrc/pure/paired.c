#include "pure/paired.h"
#include "pure/order.h"

#include <assert.h>
#include <math.h>

/* Weights of the binomial distribution (n, 1/2), relative to its mode. */
typedef struct binomial {
  size_t first;  /* lowest count whose weight is not negligible */
  double weight; /* its weight */
  double total;  /* all weights */
} binomial;

static binomial walk_down(size_t n) {
  binomial b;
  double w = 1.0;
  b.first = n / 2;
  b.total = n % 2 == 0 ? 1.0 : 2.0; /* of the mode or the two modes */
  while (b.first > 0 && w > 1e-25) {
    w *= (double)b.first / (double)(n - b.first + 1);
    b.first--;
    b.total += 2.0 * w;
  }
  b.weight = w;
  return b;
}

size_t tare_sign_rank(size_t n, double confidence, double *covered) {
  binomial b = walk_down(n);
  double most = (1.0 - confidence) / 2.0 * b.total, below = b.weight;
  double w = b.weight;
  size_t k = b.first; /* 'below' holds the weights up to count k */
  assert(n >= 1 && confidence > 0.0 && confidence < 1.0);
  *covered = 0.0;
  if (below > most) return 0;
  while (k + 1 <= n / 2) {
    double next = w * (double)(n - k) / (double)(k + 1);
    if (below + next > most) break;
    k++;
    w = next;
    below += w;
  }
  *covered = 1.0 - 2.0 * below / b.total;
  return k + 1;
}

/* The median of logarithms, brought back: exact where n is odd. */
static double geometric_median(double *work, size_t n) {
  double upper = tare_select(work, n, n / 2), lower;
  if (n % 2 == 1) return upper;
  lower = tare_select(work, n / 2, n / 2 - 1);
  return lower == upper ? upper : sqrt(lower) * sqrt(upper);
}

tare_interval tare_sign_interval(double *work, size_t n, double confidence) {
  tare_interval i;
  size_t rank = tare_sign_rank(n, confidence, &i.covered);
  i.value = geometric_median(work, n);
  i.low = i.high = NAN;
  if (rank == 0) return i;
  i.low = tare_select(work, n, rank - 1);
  i.high = tare_select(work, n, n - rank);
  return i;
}
