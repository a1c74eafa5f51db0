#include "pure/order.h"

#include <assert.h>
#include <math.h>

static void swap(double *xs, size_t i, size_t j) {
  double x = xs[i];
  xs[i] = xs[j];
  xs[j] = x;
}

/*
** Hoare's partition of xs[left..right] around the value at 'k'; returns where
** that value came to stand. The ends are set up as sentinels first.
*/
static size_t partition(double *xs, size_t left, size_t right, size_t k) {
  double pivot = xs[k];
  size_t i = left, j = right;
  swap(xs, left, k);
  if (xs[right] > pivot) swap(xs, left, right);
  while (i < j) {
    swap(xs, i++, j--);
    while (xs[i] < pivot) i++;
    while (xs[j] > pivot) j--;
  }
  if (xs[left] == pivot)
    swap(xs, left, j);
  else
    swap(xs, ++j, right);
  return j;
}

/* Narrows left..right to where a sample says that rank k lies. */
static void sample_range(size_t k, size_t *left, size_t *right) {
  double n = (double)(*right - *left + 1), i = (double)(k - *left + 1);
  double z = log(n), s = 0.5 * exp(2.0 * z / 3.0);
  double sd = 0.5 * sqrt(z * s * (n - s) / n) * (i < n / 2 ? -1.0 : 1.0);
  double low = (double)k - i * s / n + sd;
  double high = (double)k + (n - i) * s / n + sd;
  if (low > (double)*left) *left = (size_t)low;
  if (high < (double)*right) *right = (size_t)high;
}

/* Partitions around rank k and keeps of left..right the side that k is on. */
static void narrow(double *xs, size_t *left, size_t *right, size_t k) {
  size_t at = partition(xs, *left, *right, k);
  if (at <= k) *left = at + 1;
  if (k <= at) *right = at == 0 ? 0 : at - 1;
}

/*
** Floyd and Rivest (1975), "Algorithm 489: SELECT", CACM 18(3), with one level
** of sampling: rank k is first selected in a sample of the range. The value
** that this puts in place is near rank k of the whole, so it is a good pivot.
*/
double tare_select(double *xs, size_t n, size_t k) {
  size_t left = 0, right = n - 1;
  assert(k < n);
  while (right > left) {
    if (right - left > 600) {
      size_t l = left, r = right;
      sample_range(k, &l, &r);
      while (r > l) narrow(xs, &l, &r, k);
    }
    narrow(xs, &left, &right, k);
  }
  return xs[k];
}

/* Lets xs[root] sink in the heap xs[0..n-1]. */
static void sink(double *xs, size_t root, size_t n) {
  double x = xs[root];
  size_t child;
  for (; (child = 2 * root + 1) < n; root = child) {
    if (child + 1 < n && xs[child + 1] > xs[child]) child++;
    if (xs[child] <= x) break;
    xs[root] = xs[child];
  }
  xs[root] = x;
}

/* Heapsort: Williams (1964), "Algorithm 232", with Floyd's heap construction.*/
void tare_sort(double *xs, size_t n) {
  size_t i;
  for (i = n / 2; i > 0; i--) sink(xs, i - 1, n);
  for (i = n; i > 1; i--) {
    swap(xs, 0, i - 1);
    sink(xs, 0, i - 1);
  }
}

size_t tare_count_below(const double *xs, size_t n, double x) {
  size_t low = 0, high = n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (xs[middle] < x)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* ---- quantiles ---- */

static double smallest(const double *xs, size_t n) {
  double x = xs[0];
  size_t i;
  for (i = 1; i < n; i++)
    if (xs[i] < x) x = xs[i];
  return x;
}

/*
** The value between two neighbours, 0 <= share < 1. Neighbours that are far
** apart do not overflow, and infinite ones do not give NaN: between -infinity
** and infinity there is no middle, so the lower one is taken.
*/
static double between(double a, double b, double share) {
  double gap = b - a;
  if (share <= 0.0 || a == b || isinf(a)) return a;
  return isfinite(gap) ? a + share * gap : a * (1.0 - share) + b * share;
}

double tare_quantile(double *work, size_t n, double p) {
  double pos = p * (double)(n - 1), x;
  size_t below = (size_t)pos;
  assert(n >= 1 && p >= 0.0 && p <= 1.0);
  x = tare_select(work, n, below);
  if (below + 1 >= n) return x; /* p == 1: no right neighbour */
  return between(x, smallest(work + below + 1, n - below - 1),
                 pos - (double)below);
}

double tare_quantile_sorted(const double *xs, size_t n, double p) {
  double pos = p * (double)(n - 1);
  size_t below = (size_t)pos;
  assert(n >= 1 && p >= 0.0 && p <= 1.0);
  if (below + 1 >= n) return xs[n - 1];
  return between(xs[below], xs[below + 1], pos - (double)below);
}

double tare_median(double *work, size_t n) {
  return tare_quantile(work, n, 0.5);
}

double tare_mad(double *work, size_t n) {
  double median = tare_median(work, n);
  size_t i;
  for (i = 0; i < n; i++) work[i] = fabs(work[i] - median);
  return tare_median(work, n);
}

/* ---- the median of paired values, by the sign test ---- */

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

/*
** Largest r such that the interval from the r-th smallest to the r-th largest
** of n values (from 1) covers their median with probability 'confidence' or
** more, whatever their distribution; 0 where even the whole range does not
** (n < 6 at 95 %). That probability is put into *covered (0 where r is 0).
** Thompson (1936), "On confidence ranges for the median", Annals of
** Mathematical Statistics 7. Requires n >= 1 and 0 < confidence < 1.
*/
static size_t sign_rank(size_t n, double confidence, double *covered) {
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
  size_t rank = sign_rank(n, confidence, &i.covered);
  i.value = geometric_median(work, n);
  i.low = i.high = NAN;
  if (rank == 0) return i;
  i.low = tare_select(work, n, rank - 1);
  i.high = tare_select(work, n, n - rank);
  return i;
}
