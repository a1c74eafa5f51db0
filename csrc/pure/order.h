/*
** Order statistics: selection and sorting in place, without malloc and without
** recursion. NaN has no order: callers keep it out.
*/
#ifndef TARE_ORDER_H
#define TARE_ORDER_H

#include <stddef.h>

/*
** Moves the k-th smallest (from 0) of xs[0..n-1] to xs[k], nothing greater
** before it and nothing smaller behind it; returns it. Linear time on average.
** Requires k < n.
*/
double tare_select(double *xs, size_t n, size_t k);

/* Sorts xs[0..n-1] upwards. At most n log n steps, whatever the input. */
void tare_sort(double *xs, size_t n);

/* How many of the ascending xs[0..n-1] are below x. */
size_t tare_count_below(const double *xs, size_t n, double x);

#endif
