#include "pure/robust.h"
#include "pure/dist.h"
#include "pure/stats.h"

#include <math.h>
#include <string.h>

#define TUNING 1.345
#define STEPS_MAX 500
#define LEAST_SCALE 1e-14 /* of a response that is at most 1 */

size_t tare_huber_doubles(size_t rows, int terms) {
  return tare_lsq_doubles(rows, terms);
}

static double clip(double r, double bound) {
  return r > bound ? bound : r < -bound ? -bound : r;
}

/* Standard deviation of the residuals by their median size. */
static double scale_of(const double *residual, size_t n, double *work) {
  size_t i;
  for (i = 0; i < n; i++) work[i] = fabs(residual[i]);
  return fmax(TARE_MAD_SCALE * tare_median(work, n), LEAST_SCALE);
}

/* Size of a step against that of the coefficients. */
static double relative_step(const tare_lsq *s, const double *step) {
  double moved = 0.0, size = 0.0;
  int t;
  for (t = 0; t < s->qr.terms; t++) {
    moved += fabs(step[t]);
    size += fabs(s->beta[t]);
  }
  return moved / fmax(size, LEAST_SCALE);
}

/* Regresses the clipped residuals and moves by what comes out, to rest. */
static double settle(tare_lsq *s, double *work) {
  size_t n = s->qr.rows, i;
  double scale = 0.0;
  int k;
  for (k = 0; k < STEPS_MAX; k++) {
    scale = scale_of(s->residual, n, work);
    for (i = 0; i < n; i++) work[i] = clip(s->residual[i], TUNING * scale);
    tare_lsq_move(s, work);
    if (relative_step(s, work) < 1e-13) break;
  }
  return scale;
}

/*
** What to multiply the diagonal of (x'x)^-1 by to get variances: with psi the
** clipped residuals and m the share that is not clipped,
** k^2 sum(psi^2) / (n - p) / m^2, k = 1 + p (1 - m) / (n m).
*/
static double variance_factor(const tare_lsq *s, double scale) {
  double n = (double)s->qr.rows, p = s->qr.terms, squares = 0.0, inside = 0.0;
  double share, k;
  size_t i;
  for (i = 0; i < s->qr.rows; i++) {
    double psi = clip(s->residual[i], TUNING * scale);
    squares += psi * psi;
    if (psi == s->residual[i]) inside += 1.0;
  }
  share = inside / n;
  k = 1.0 + p * (1.0 - share) / (n * share);
  return n > p ? k * k * squares / (n - p) / (share * share) : NAN;
}

void tare_robust_set(tare_robust *fit, const tare_lsq *s, const double *sd,
                     double reach) {
  int t;
  fit->share = fit->excess = fit->power = NAN;
  for (t = 0; t < s->qr.terms; t++) {
    double unit = tare_lsq_unit(s, t), half = reach * sd[t] * unit;
    int slot = tare_lsq_slot(s, t);
    fit->coefficient[slot] = s->beta[t] * unit;
    fit->bounds[slot].low = fit->coefficient[slot] - half;
    fit->bounds[slot].high = fit->coefficient[slot] + half;
  }
}

tare_fit_status tare_huber_fit(const tare_design *d, double confidence,
                               double *scratch, tare_robust *fit, int *column) {
  tare_lsq s;
  tare_fit_status status = tare_lsq_solve(&s, d, scratch, column);
  double sd[TARE_TERMS_MAX], scale, factor, dof, reach;
  int t;
  if (status != TARE_FIT_OK) return status;
  scale = settle(&s, s.work);
  factor = variance_factor(&s, scale);
  tare_qr_inverse_gram(&s.qr, sd);
  for (t = 0; t < s.qr.terms; t++) sd[t] = sqrt(sd[t] * factor);
  dof = (double)d->rows - s.qr.terms;
  reach = dof > 0.0 ? tare_t_quantile(0.5 * (1.0 + confidence), dof) : NAN;
  tare_robust_set(fit, &s, sd, reach);
  fit->noise_sd = scale > LEAST_SCALE ? ldexp(scale, s.y_exponent) : 0.0;
  return TARE_FIT_OK;
}
