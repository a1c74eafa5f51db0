/* Ordinary least squares on any set of columns. */
#ifndef TARE_OLS_H
#define TARE_OLS_H

#include "pure/lsq.h"

/* What a fit says; NaN where a value is undefined. */
typedef struct tare_ols {
  double coefficient[TARE_TERMS_MAX]; /* columns in order, then intercept */
  double stderror[TARE_TERMS_MAX];    /* their standard errors; NaN if dof 0 */
  double vif[TARE_COLUMNS_MAX];       /* variance inflation, 1 = orthogonal */
  double r2;          /* explained share of the response's sum of squares */
  double adjusted_r2; /* the same, fair to fits with fewer columns */
  double residual_sd; /* in the response's unit; NaN if dof is 0 */
  size_t dof;         /* rows - terms */
} tare_ols;

/*
** 1 - rss / tss; NaN where the response does not vary (tss is 0). With an
** intercept tss is taken about the mean; without, about zero, so that the two
** are not comparable.
*/
double tare_r2(double rss, double tss);

/*
** R2 with both sums of squares divided by their degrees of freedom:
** 1 - (1 - r2) (rows - intercept) / (rows - terms). NaN where rows == terms.
*/
double tare_adjusted_r2(double r2, size_t rows, int terms, int intercept);

/* The summary of a solved problem. */
void tare_ols_summary(const tare_lsq *s, tare_ols *fit);

/*
** Fits the design; scratch has tare_lsq_doubles(rows, terms) values. As many
** rows as terms are enough, but leave nothing to tell the error from. Rows are
** not dropped: a NaN in any is TARE_FIT_NOT_FINITE.
*/
tare_fit_status tare_ols_fit(const tare_design *d, double *scratch,
                             tare_ols *fit, int *column);

#endif
