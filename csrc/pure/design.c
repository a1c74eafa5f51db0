#include "pure/design.h"

#include <assert.h>
#include <math.h>

#define FIT_CODE(id, code, message) code,
static const char *const codes[] = {TARE_FIT_STATUS(FIT_CODE)};
#define FIT_MESSAGE(id, code, message) message,
static const char *const messages[] = {TARE_FIT_STATUS(FIT_MESSAGE)};

const char *tare_fit_code(tare_fit_status status) {
  assert(status < TARE_FIT_STATUS_COUNT);
  return codes[status];
}

const char *tare_fit_message(tare_fit_status status) {
  assert(status < TARE_FIT_STATUS_COUNT);
  return messages[status];
}

int tare_design_terms(const tare_design *d) {
  return d->columns + d->intercept;
}

static int all_finite(const double *xs, size_t n) {
  size_t i;
  for (i = 0; i < n; i++)
    if (!isfinite(xs[i])) return 0;
  return 1;
}

static int all_zero(const double *xs, size_t n) {
  size_t i;
  for (i = 0; i < n; i++)
    if (xs[i] != 0.0) return 0;
  return 1;
}

tare_fit_status tare_design_check(const tare_design *d, int *column) {
  int c;
  assert(d->columns >= 0 && tare_design_terms(d) <= TARE_TERMS_MAX);
  assert(tare_design_terms(d) >= 1);
  *column = -1;
  if (d->rows < (size_t)tare_design_terms(d)) return TARE_FIT_TOO_FEW_ROWS;
  if (!all_finite(d->y, d->rows)) return TARE_FIT_NOT_FINITE;
  for (c = 0; c < d->columns; c++) {
    *column = c;
    if (!all_finite(d->x[c], d->rows)) return TARE_FIT_NOT_FINITE;
    if (all_zero(d->x[c], d->rows)) return TARE_FIT_ZERO_COLUMN;
  }
  *column = -1;
  return TARE_FIT_OK;
}

int tare_scale_exponent(const double *xs, size_t n) {
  double greatest = 0.0;
  int exponent = 0;
  size_t i;
  for (i = 0; i < n; i++) greatest = fmax(greatest, fabs(xs[i]));
  if (greatest > 0.0) (void)frexp(greatest, &exponent);
  return exponent;
}
