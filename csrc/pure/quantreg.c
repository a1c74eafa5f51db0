#include "pure/quantreg.h"

#include <assert.h>
#include <math.h>

#include "pure/order.h"

#define GOLDEN 0.61803398874989485 /* (sqrt(5) - 1) / 2 */
#define EXPANSIONS 200             /* of the bracket, each by a factor of 2 */
#define REFINEMENTS 90             /* each by the golden section: to 1e-19 */

typedef struct problem {
  const double *x, *y;
  size_t n;
  double tau;
  double *work; /* n doubles */
} problem;

static double total(const double *xs, size_t n) {
  double sum = 0.0;
  size_t i;
  for (i = 0; i < n; i++) sum += xs[i];
  return sum;
}

/* Sum of the x whose ratio y / x is at most 'ratio'. */
static double weight_up_to(const problem *p, double ratio) {
  double sum = 0.0;
  size_t i;
  for (i = 0; i < p->n; i++)
    if (p->y[i] / p->x[i] <= ratio) sum += p->x[i];
  return sum;
}

double tare_quantreg_origin(const double *x, const double *y, size_t n,
                            double tau, double *work) {
  problem p = {NULL, NULL, 0, 0.0, NULL};
  double wanted = tau * total(x, n);
  size_t low = 0, high = n - 1, i;
  assert(n >= 1 && tau > 0.0 && tau < 1.0);
  p.x = x, p.y = y, p.n = n, p.tau = tau, p.work = work;
  for (i = 0; i < n; i++) work[i] = y[i] / x[i];
  tare_sort(work, n);
  while (low < high) { /* the first ratio that has enough weight below it */
    size_t middle = low + (high - low) / 2;
    if (weight_up_to(&p, work[middle]) >= wanted)
      high = middle;
    else
      low = middle + 1;
  }
  return work[low];
}

/* The intercept that suits a slope best: the quantile of what is left. */
static double best_intercept(const problem *p, double slope) {
  size_t i, k = (size_t)ceil(p->tau * (double)p->n);
  for (i = 0; i < p->n; i++) p->work[i] = p->y[i] - slope * p->x[i];
  return tare_select(p->work, p->n, k > 0 ? k - 1 : 0);
}

/* Koenker and Bassett's loss at a slope and its best intercept. */
static double loss(const problem *p, double slope) {
  double intercept = best_intercept(p, slope), sum = 0.0;
  size_t i;
  for (i = 0; i < p->n; i++) {
    double left = p->y[i] - slope * p->x[i] - intercept;
    sum += left >= 0.0 ? p->tau * left : (p->tau - 1.0) * left;
  }
  return sum;
}

/* Widens [*low, *high] around 'middle' until the loss is less inside. */
static void bracket(const problem *p, double middle, double *low,
                    double *high) {
  double step = fabs(middle) * 1e-3 + 1e-300, inside = loss(p, middle);
  int i;
  for (i = 0; i < EXPANSIONS && loss(p, middle - step) < inside; i++)
    step *= 2.0;
  *low = middle - step;
  step = fabs(middle) * 1e-3 + 1e-300;
  for (i = 0; i < EXPANSIONS && loss(p, middle + step) < inside; i++)
    step *= 2.0;
  *high = middle + step;
}

tare_line tare_quantreg_line(const double *x, const double *y, size_t n,
                             double tau, double *work) {
  problem p = {NULL, NULL, 0, 0.0, NULL};
  tare_line line = {0.0, 0.0};
  double low, high, left, right;
  int i;
  assert(n >= 2 && tau > 0.0 && tau < 1.0);
  p.x = x, p.y = y, p.n = n, p.tau = tau, p.work = work;
  bracket(&p, tare_quantreg_origin(x, y, n, tau, work), &low, &high);
  for (i = 0; i < REFINEMENTS; i++) { /* points that are kept drift: anew */
    left = high - GOLDEN * (high - low);
    right = low + GOLDEN * (high - low);
    if (loss(&p, left) <= loss(&p, right))
      high = right;
    else
      low = left;
  }
  line.slope = (low + high) / 2.0;
  line.intercept = best_intercept(&p, line.slope);
  return line;
}
