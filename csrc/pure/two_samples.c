#include "pure/two_samples.h"
#include "pure/distributions.h"
#include "pure/order.h"
#include "pure/moments.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define MOST_EXACT_PAIRS 625

tare_difference tare_welch(const double *a, size_t na, const double *b,
                           size_t nb) {
  double va = tare_variance(a, na) / (double)na;
  double vb = tare_variance(b, nb) / (double)nb, sum = va + vb;
  tare_difference d;
  assert(na >= 2 && nb >= 2);
  d.value = tare_mean(a, na) - tare_mean(b, nb);
  d.error = sqrt(sum);
  d.df = (double)(na + nb - 2);
  if (sum > 0.0) { /* shares of the sum: their squares cannot underflow */
    va /= sum, vb /= sum;
    d.df = 1.0 / (va * va / (double)(na - 1) + vb * vb / (double)(nb - 1));
    d.df = fmax(1.0, d.df); /* rounding */
  }
  return d;
}

tare_difference tare_one_sample(const double *a, size_t n, double reference) {
  tare_difference d;
  assert(n >= 2);
  d.value = tare_mean(a, n) - reference;
  d.error = sqrt(tare_variance(a, n) / (double)n);
  d.df = (double)(n - 1);
  return d;
}

double tare_difference_t(const tare_difference *d, double hypothesis) {
  double distance = d->value - hypothesis;
  return distance == 0.0 ? 0.0 : distance / d->error;
}

double tare_tost(const tare_difference *d, double low, double high) {
  double above_low = tare_t_cdf(-tare_difference_t(d, low), d->df);
  double below_high = tare_t_cdf(tare_difference_t(d, high), d->df);
  return fmax(above_low, below_high);
}

/* A group of equal values while both ascending samples are merged. */
typedef struct merge {
  const double *a, *b;
  size_t na, nb;
  size_t ia, ib;     /* values before the group */
  size_t in_a, in_b; /* values in it */
} merge;

/* Moves on to the next group; 0 at the end. */
static int next_group(merge *m) {
  double value;
  m->ia += m->in_a, m->ib += m->in_b;
  m->in_a = m->in_b = 0;
  if (m->ia == m->na && m->ib == m->nb) return 0;
  value = m->ib == m->nb || (m->ia < m->na && m->a[m->ia] < m->b[m->ib])
              ? m->a[m->ia]
              : m->b[m->ib];
  while (m->ia + m->in_a < m->na && m->a[m->ia + m->in_a] == value) m->in_a++;
  while (m->ib + m->in_b < m->nb && m->b[m->ib + m->in_b] == value) m->in_b++;
  return 1;
}

static double choose(size_t n, size_t k) {
  double ways = 1.0;
  size_t i;
  for (i = 1; i <= k; i++) ways = ways * (double)(n - k + i) / (double)i;
  return floor(ways + 0.5);
}

/*
** Ways to deal out the pooled values, by how many went to the smaller sample
** (row) and twice its U so far (column).
*/
typedef struct deals {
  size_t rows, columns;
  double *ways;
} deals;

/* Adds to 'row' the ways in which 'j' of a group of 'size' came to it. */
static void add_deals(deals *d, size_t row, size_t j, size_t size,
                      size_t before) {
  size_t from = row - j, others = before - from, c;
  size_t gain = j * (2 * others + size - j);
  const double *old = d->ways + from * d->columns;
  double *to = d->ways + row * d->columns, times = choose(size, j);
  for (c = 0; c + gain < d->columns; c++) to[c + gain] += times * old[c];
}

/* Takes in a group of 'size' equal values, with 'before' values before it. */
static void deal_group(deals *d, size_t size, size_t before) {
  size_t row, j;
  for (row = d->rows - 1; row > 0; row--)
    for (j = 1; j <= size && j <= row; j++)
      if (row - j <= before) add_deals(d, row, j, size, before);
}

/* Share of all deals whose U lies as far from the middle as u, or further. */
static double exact_p(merge m, double u, double *work) {
  deals d;
  double distance = fabs(2.0 * u - (double)(m.na * m.nb)), all = 0.0, far = 0.0;
  size_t c;
  d.rows = (m.na < m.nb ? m.na : m.nb) + 1;
  d.columns = 2 * m.na * m.nb + 1;
  d.ways = work;
  memset(work, 0, d.rows * d.columns * sizeof *work);
  d.ways[0] = 1.0;
  while (next_group(&m)) deal_group(&d, m.in_a + m.in_b, m.ia + m.ib);
  for (c = 0; c < d.columns; c++) {
    double ways = d.ways[(d.rows - 1) * d.columns + c];
    all += ways;
    if (fabs((double)c - (double)(m.na * m.nb)) >= distance) far += ways;
  }
  return far / all;
}

static double normal_p(double u, double na, double nb, double ties) {
  double n = na + nb, middle = na * nb / 2.0;
  double variance = na * nb / 12.0 * (n + 1.0 - ties / (n * (n - 1.0)));
  double distance = fmax(0.0, fabs(u - middle) - 0.5);
  return variance > 0.0 ? 2.0 * tare_normal_cdf(-distance / sqrt(variance))
                        : 1.0;
}

size_t tare_ranks_work(size_t na, size_t nb) {
  size_t fewer = na < nb ? na : nb;
  if (fewer > MOST_EXACT_PAIRS || na > MOST_EXACT_PAIRS / nb) return 0;
  return (fewer + 1) * (2 * na * nb + 1);
}

tare_ranks tare_mann_whitney(double *a, size_t na, double *b, size_t nb,
                             double *work) {
  merge m = {a, b, na, nb, 0, 0, 0, 0}, start = m;
  tare_ranks r;
  double ties = 0.0;
  assert(na >= 1 && nb >= 1);
  tare_sort(a, na);
  tare_sort(b, nb);
  r.u = 0.0;
  while (next_group(&m)) {
    double size = (double)(m.in_a + m.in_b);
    r.u += (double)m.in_a * ((double)m.ib + 0.5 * (double)m.in_b);
    ties += size * size * size - size;
  }
  r.superior = r.u / ((double)na * (double)nb);
  r.exact = tare_ranks_work(na, nb) > 0;
  r.p = r.exact ? exact_p(start, r.u, work)
                : normal_p(r.u, (double)na, (double)nb, ties);
  return r;
}

void tare_holm(const double *ps, size_t n, double *adjusted, double *work) {
  double *sorted = work, *stepped = work + n, most = 0.0;
  size_t i;
  memcpy(sorted, ps, n * sizeof *ps);
  tare_sort(sorted, n);
  for (i = 0; i < n; i++) {
    most = fmax(most, fmin(1.0, (double)(n - i) * sorted[i]));
    stepped[i] = most;
  }
  for (i = 0; i < n; i++)
    adjusted[i] = stepped[tare_count_below(sorted, n, ps[i])];
}
