/*
** Regression by least squares on any set of columns: a design, its refusals,
** the solved problem (kept open, for resampling and reweighting), and the
** summary of ordinary least squares.
*/
#ifndef TARE_REGRESSION_H
#define TARE_REGRESSION_H

#include "pure/qr.h"

/*
** A regression as data: a response, the columns that explain it, and whether
** an intercept does so too. A *term* is a column or the intercept.
*/
#define TARE_COLUMNS_MAX 32
#define TARE_TERMS_MAX (TARE_COLUMNS_MAX + 1)

typedef struct tare_design {
  const double *y;        /* the response, 'rows' long */
  const double *const *x; /* each column, 'rows' long */
  size_t rows;
  int columns;   /* 0 to TARE_COLUMNS_MAX; at least 1 without intercept */
  int intercept; /* 0 or 1 */
} tare_design;

/* X(identifier, code, message): why a fit is refused. */
#define TARE_FIT_STATUS(X)                                                     \
  X(OK, "ok", "the fit succeeded")                                             \
  X(TOO_FEW_ROWS, "too_few_rows", "fewer rows than the fit needs")             \
  X(NOT_FINITE, "not_finite", "a value is NaN or infinite")                    \
  X(ZERO_COLUMN, "zero_column", "a column is zero in every row")               \
  X(COLLINEAR, "collinear", "a column is a linear combination of the others")  \
  X(DEGENERATE, "degenerate", "too few resamples can be fitted")

#define TARE_FIT_ENUM(id, code, message) TARE_FIT_##id,
typedef enum tare_fit_status {
  TARE_FIT_STATUS(TARE_FIT_ENUM) TARE_FIT_STATUS_COUNT
} tare_fit_status;
#undef TARE_FIT_ENUM

/* The short name and the sentence of a status. */
const char *tare_fit_code(tare_fit_status status);
const char *tare_fit_message(tare_fit_status status);

/* Columns, and the intercept where there is one. */
int tare_design_terms(const tare_design *d);

/*
** Whether the design passes the checks that need no factorization: enough rows,
** all finite, no column of zeros. '*column' is the column that a
** refusal is about, or -1.
*/
tare_fit_status tare_design_check(const tare_design *d, int *column);

/*
** A solved least-squares problem, kept open: its factors, its residuals and
** its coefficients are what standard errors, resampling and reweighting need.
** Inside it the intercept is term 0, so that the other terms of Q are centred,
** and every column is scaled by a power of two.
*/
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
** Regresses pull[0..rows-1] on the terms. Adds the resulting step to beta,
** updates the residuals, and leaves the step in pull[0..terms-1]. If the pull
** is the residuals themselves, the step is 0 once the fit is that of least
** squares.
*/
void tare_lsq_move(tare_lsq *s, double *pull);

/*
** Sum of squares of the scaled response: about its mean where there is an
** intercept, about zero where there is none.
*/
double tare_lsq_tss(const tare_lsq *s);

/* Results of ordinary least squares; NaN if a value is undefined. */
typedef struct tare_ols {
  double coefficient[TARE_TERMS_MAX]; /* columns in order, then intercept */
  double stderror[TARE_TERMS_MAX];    /* their standard errors; NaN if dof 0 */
  double vif[TARE_COLUMNS_MAX];       /* variance inflation, 1 = orthogonal */
  /*
  ** Explained share of the response's sum of squares: that about its mean with
  ** an intercept, about zero without, so that the two are not comparable. NaN
  ** where the response does not vary.
  */
  double r2;
  double adjusted_r2; /* the same, fair to fits with fewer columns */
  double residual_sd; /* in the response's unit; NaN if dof is 0 */
  size_t dof;         /* rows - terms */
} tare_ols;

/*
** R2 with both sums of squares divided by their degrees of freedom:
** 1 - (1 - r2) (rows - intercept) / (rows - terms). NaN where rows == terms.
*/
double tare_adjusted_r2(double r2, size_t rows, int terms, int intercept);

/* The summary of a solved problem. */
void tare_ols_summary(const tare_lsq *s, tare_ols *fit);

/*
** Fits the design; scratch has tare_lsq_doubles(rows, terms) values. As many
** rows as terms are enough, but then the error is unknown. Rows are not
** dropped: a NaN in any is TARE_FIT_NOT_FINITE.
*/
tare_fit_status tare_ols_fit(const tare_design *d, double *scratch,
                             tare_ols *fit, int *column);

/* Ends of the interval on an estimate; NaN where undefined. */
typedef struct tare_bounds {
  double low, high; /* low <= high */
} tare_bounds;

#endif
