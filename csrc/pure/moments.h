/*
** A regression refitted from sums alone. In the coordinates of the fit's own
** Q (scaled to unit variance) and its residuals, the normal equations of any
** resample are close to a multiple of the identity: they can be solved from
** sums without losing digits, however ill-conditioned the columns are.
*/
#ifndef TARE_MOMENTS_H
#define TARE_MOMENTS_H

#include "pure/gather.h"
#include "pure/lsq.h"

typedef struct tare_moments {
  tare_table table; /* each row's coordinates and products, to be summed */
  int terms, intercept;
  double weight[TARE_TERMS_MAX + 1]; /* the response in these coordinates */
  double beta[TARE_TERMS_MAX];       /* the fit, by term, in the data's units */
  double back[TARE_TERMS_MAX * TARE_TERMS_MAX]; /* a step into those units */
  int slot[TARE_TERMS_MAX]; /* where a term's coefficient stands */
  double constant;          /* a sum of squares a row that counts as none */
} tare_moments;

/* Doubles of scratch for the table of so many rows and terms. */
size_t tare_moments_doubles(size_t rows, int terms, int intercept);

/* Builds the table in 'scratch'; uses up s->x and s->work. */
void tare_moments_init(tare_moments *m, tare_lsq *s, double *scratch);

/*
** Refits from the sums of 'count' drawn rows: out[0..terms-1] become the
** coefficients (columns in order, then intercept), out[terms] R2 (NaN where
** the response of the fit itself does not vary). Returns 0 where the drawn
** rows cannot be fitted: their columns are collinear, or their response does
** not vary.
*/
int tare_moments_refit(const tare_moments *m, const double *sum, double count,
                       double *out);

#endif
