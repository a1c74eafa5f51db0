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
** of sampling: what brings rank k of a sample into place makes it a pivot that
** lies next to rank k of the whole.
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
