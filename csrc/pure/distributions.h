/* The normal distribution and Student's t: what intervals and tests need. */
#ifndef TARE_DISTRIBUTIONS_H
#define TARE_DISTRIBUTIONS_H

/* Share of the standard normal distribution below z. */
double tare_normal_cdf(double z);

/* z with tare_normal_cdf(z) == p. Requires 0 < p < 1. */
double tare_normal_quantile(double p);

/* Share of Student's t with 'df' degrees of freedom below t. Requires df > 0.*/
double tare_t_cdf(double t, double df);

/* Its share further from 0 than t, on both sides: a two-sided p-value. */
double tare_t_two_sided(double t, double df);

/*
** t with tare_t_cdf(t, df) == p; a p below 2^-1022 counts as that. Requires
** 0 < p < 1 and df >= 1.
*/
double tare_t_quantile(double p, double df);

#endif
