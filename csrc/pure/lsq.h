/*
** A solved least-squares problem, kept open: its factors, its residuals and
** its coefficients are what standard errors, resampling and reweighting need.
** Inside it the intercept is term 0, so that the other terms of Q are centred,
** and every column is scaled by a power of two.
*/
#ifndef TARE_LSQ_H
#define TARE_LSQ_H

#include "pure/design.h"
#include "pure/qr.h"

typedef struct tare_lsq {
  tare_qr qr;
  double *x;        /* the scaled terms, column-major */
  double *y;        /* the scaled response */
  double *residual; /* y - x beta */
  double *work;     /* 'rows' values that anyone may use */
  double beta[TARE_TERMS_MAX];
  int exponent[TARE_TERMS_MAX]; /* term = x * 2^exponent */
  int y_exponent;
  int columns, intercept;
} tare_lsq;

/* Doubles of scratch that a problem of that size needs. */
size_t tare_lsq_doubles(size_t rows, int terms);

/*
** Solves the design: Householder QR, then iterative refinement (Bjorck 1967)
** with residuals in twice the precision, so that what limits the digits is the
** data and not the way. 's' keeps pointers into 'scratch'. A refusal names
** the column it is about in '*column', or -1.
*/
tare_fit_status tare_lsq_solve(tare_lsq *s, const tare_design *d,
                               double *scratch, int *column);

/* Where term t stands among coefficients: columns in order, then intercept. */
int tare_lsq_slot(const tare_lsq *s, int term);

/* What to multiply beta[term] by to get a coefficient in the data's units. */
double tare_lsq_unit(const tare_lsq *s, int term);

/*
** Regresses pull[0..rows-1] on the terms and moves beta by what comes out, the
** residuals with it; leaves that step in pull[0..terms-1]. With the residuals
** themselves for a pull, nothing moves once the fit is that of least squares.
*/
void tare_lsq_move(tare_lsq *s, double *pull);

/* Sum of squares of the residuals, in units of the scaled response. */
double tare_lsq_rss(const tare_lsq *s);

/*
** Sum of squares of the scaled response: about its mean where there is an
** intercept, about zero where there is none.
*/
double tare_lsq_tss(const tare_lsq *s);

#endif
