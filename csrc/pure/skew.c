#include "pure/skew.h"
#include "pure/dist.h"
#include "pure/disturbed.h"
#include "pure/stats.h"

#include <math.h>
#include <string.h>

#define PASSES_MAX 8
#define SETTLED 0.02    /* change of the power that is none */
#define SIGNIFICANT 3.0 /* standard errors that a power must be off 0 */
#define LOG_SD 1.1107   /* of ln |z|, z normal: pi / 8^(1/2) */
#define ENOUGH 10       /* rows below the line to tell a power from */

/* The design with each row divided by its scale; the intercept is a column. */
typedef struct frame {
  const tare_design *from;
  tare_design to;
  const double *column[TARE_TERMS_MAX];
  double *y, *x; /* x: rows x terms */
  double *scale; /* of each row's noise; their geometric mean is 1 */
  double *size;  /* what the scale is a power of */
  double power;
} frame;

size_t tare_skew_doubles(size_t rows, int terms) {
  /* four columns of the run's own; then the frame's, later the scores */
  return tare_lsq_doubles(rows, terms) +
         rows * (4 + (size_t)terms + TARE_NUISANCE);
}

static void set_up(frame *f, const tare_design *d, double *scratch) {
  int t, terms = tare_design_terms(d);
  size_t i;
  memset(f, 0, sizeof *f);
  f->from = d;
  f->y = scratch;
  f->scale = f->y + d->rows;
  f->size = f->scale + d->rows;
  f->x = f->size + d->rows;
  for (t = 0; t < terms; t++) f->column[t] = f->x + (size_t)t * d->rows;
  for (i = 0; i < d->rows; i++) f->scale[i] = 1.0;
  f->to = *d;
  f->to.y = f->y;
  f->to.x = f->column;
  f->to.columns = terms;
  f->to.intercept = 0;
}

/* Solves the scaled design; its columns stand in order, the intercept last. */
static tare_fit_status solve(frame *f, tare_lsq *s, double *scratch) {
  const tare_design *d = f->from;
  size_t n = d->rows, i;
  int t, column;
  for (i = 0; i < n; i++) f->y[i] = d->y[i] / f->scale[i];
  for (t = 0; t < f->to.columns; t++)
    for (i = 0; i < n; i++)
      f->x[(size_t)t * n + i] =
          (t < d->columns ? d->x[t][i] : 1.0) / f->scale[i];
  return tare_lsq_solve(s, &f->to, scratch, &column);
}

/*
** The power of the size that the noise of the rows below the line grows with:
** the slope of the logarithms of their residuals, if it is clear of 0.
*/
static double power_of(const frame *f, const tare_lsq *s, double spread) {
  double sum_x = 0.0, sum_y = 0.0, xx = 0.0, xy = 0.0, count = 0.0, power;
  size_t i;
  for (i = 0; i < s->qr.rows; i++) {
    double r = -s->residual[i], x = log(f->size[i]), y;
    if (!(r > 0.0)) continue;
    y = log(fmax(r, 1e-3 * spread) * f->scale[i]);
    count += 1.0;
    sum_x += x;
    sum_y += y;
    xx += x * x;
    xy += x * y;
  }
  if (count < ENOUGH) return 0.0;
  xx -= sum_x * sum_x / count;
  power = (xy - sum_x * sum_y / count) / xx;
  if (!(power * sqrt(xx) > SIGNIFICANT * LOG_SD)) return 0.0;
  return fmin(power, 1.0);
}

/* Sizes of the rows: the height of the line, but not below the noise. */
static void set_sizes(frame *f, const tare_lsq *s, double spread) {
  size_t i;
  for (i = 0; i < s->qr.rows; i++)
    f->size[i] =
        hypot((s->y[i] - s->residual[i]) * f->scale[i], spread * f->scale[i]);
}

/* Scales to a power of the sizes, with a geometric mean of 1. */
static void set_scales(frame *f) {
  size_t n = f->from->rows, i;
  double mean = 0.0;
  for (i = 0; i < n; i++) mean += log(f->size[i]) / (double)n;
  for (i = 0; i < n; i++)
    f->scale[i] = exp(f->power * (log(f->size[i]) - mean));
}

/*
** Finds how noise grows with the size of a row, and leaves the design solved
** in that scale; or in the data's own where it cannot be solved so.
*/
static void find_scales(frame *f, tare_disturbed *w, double *scratch) {
  int pass;
  for (pass = 0; pass < PASSES_MAX; pass++) {
    double spread = tare_disturbed_sink(w), before = f->power;
    set_sizes(f, &w->s, spread);
    f->power = power_of(f, &w->s, spread);
    set_scales(f);
    if (solve(f, &w->s, scratch) != TARE_FIT_OK) {
      f->power = 0.0;
      set_scales(f);
      (void)solve(f, &w->s, scratch);
      break;
    }
    if (fabs(f->power - before) < SETTLED) break;
  }
}

/* Writes the noise, in the units of the data. */
static void set_noise(tare_robust *fit, const tare_disturbed *w, double power) {
  int some = w->v.share > TARE_LEAST_SHARE, noisy = w->v.sd > TARE_LEAST_SD;
  fit->noise_sd = noisy ? ldexp(w->v.sd, w->s.y_exponent) : 0.0;
  fit->share = some ? w->v.share : 0.0;
  fit->excess = some ? ldexp(w->v.excess, w->s.y_exponent) : NAN;
  fit->power = power;
}

tare_fit_status tare_skew_fit(const tare_design *d, double confidence,
                              double *scratch, tare_robust *fit, int *column) {
  tare_disturbed w;
  frame f;
  double sd[TARE_TERMS_MAX], *own, dof;
  int terms = tare_design_terms(d);
  tare_fit_status status;
  *column = -1;
  if (d->rows < (size_t)terms + TARE_NUISANCE) return TARE_FIT_TOO_FEW_ROWS;
  status = tare_lsq_solve(&w.s, d, scratch, column);
  if (status != TARE_FIT_OK) return status;
  own = scratch + tare_lsq_doubles(d->rows, terms);
  w.share = own;
  w.excess = w.share + d->rows;
  w.square = w.excess + d->rows;
  w.put_by = w.square + d->rows;
  own = w.put_by + d->rows;
  set_up(&f, d, own);
  find_scales(&f, &w, scratch);
  tare_disturbed_fit(&w);
  /* the frame is no longer needed: its place is that of the scores */
  tare_disturbed_errors(&w, own, sd);
  dof = fmax((double)d->rows - terms - TARE_NUISANCE, 1.0);
  tare_robust_set(fit, &w.s, sd,
                  tare_t_quantile(0.5 * (1.0 + confidence), dof));
  set_noise(fit, &w, f.power);
  return TARE_FIT_OK;
}
