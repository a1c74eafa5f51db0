/*
** Has a sample one mode or two? A machine that runs at two speeds, or a
** function with a fast and a slow path, shows as two.
*/
#ifndef TARE_BIMODAL_H
#define TARE_BIMODAL_H

#include <stddef.h>

/* Doubles of scratch that tare_dip needs for n values. */
#define TARE_DIP_WORK(n) (5 * (n))

/*
** Hartigan's dip of ascending values: the largest distance of their empirical
** distribution from the nearest one with a single mode. At least 1 / (2 n), at
** most 1 / 4. Hartigan and Hartigan (1985), "The dip test of unimodality",
** Annals of Statistics 13(1). Requires n >= 1.
*/
double tare_dip(const double *sorted, size_t n, double *work);

/*
** Share of samples of n values from a uniform distribution (the one-mode
** distribution with the largest dips) whose dip is 'dip' or more; between the
** entries of a table of simulated quantiles. 1 for n < 10, which show nothing.
*/
double tare_dip_p(double dip, size_t n);

/*
** Sarle's coefficient (skewness^2 + 1) / kurtosis, with the small-sample terms
** of the SAS/STAT manual: 5/9 for a uniform distribution, more the more it is
** drawn to two ends. It takes one-sided outliers for a second mode, so it
** does not decide here. 0 where n < 4 or all values are equal.
*/
double tare_sarle(const double *xs, size_t n);

typedef struct tare_split {
  size_t below;     /* values in the lower part */
  double low, high; /* means of the parts */
} tare_split;

/*
** Cuts ascending values in two such that the variance within the parts is
** least (Fisher 1958, "On grouping for maximum homogeneity", JASA 53).
** Requires n >= 2.
*/
tare_split tare_split_in_two(const double *sorted, size_t n);

#endif
