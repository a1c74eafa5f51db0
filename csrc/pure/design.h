/*
** A regression as data: a response, the columns that explain it, and whether
** an intercept does so too. A *term* is a column or the intercept.
*/
#ifndef TARE_DESIGN_H
#define TARE_DESIGN_H

#include <stddef.h>

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
** Whether the design can be fitted as far as a look at its values tells:
** enough rows, all finite, no column of zeros. '*column' is the column that a
** refusal is about, or -1.
*/
tare_fit_status tare_design_check(const tare_design *d, int *column);

/*
** The power of two that brings xs[0..n-1] below 1, as its exponent, so that no
** sum of squares overflows: scaling by it is exact. 0 where all are zero.
*/
int tare_scale_exponent(const double *xs, size_t n);

#endif
