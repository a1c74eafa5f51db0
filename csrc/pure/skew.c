#include "pure/skew.h"
#include "pure/distributions.h"
#include "pure/moments.h"
#include "pure/order.h"

#include <math.h>
#include <string.h>

#define SQRT_HALF 0.70710678118654752440
#define LOG_SQRT_2PI 0.91893853320467274178

#define NUISANCE 3 /* parameters beside the coefficients: sd, share, excess */
#define LEAST_SHARE 1e-9
#define LEAST_SD 1e-14   /* of a response that is at most 1 */
#define LEAST_EXCESS 3.0 /* of a disturbance, in standard deviations of noise */
#define STEPS_MAX 1000

#define PASSES_MAX 8    /* to find how noise grows with the size of a row */
#define SETTLED 0.02    /* a smaller change of the power counts as none */
#define SIGNIFICANT 3.0 /* standard errors that a power must be above 0 */
#define LOG_SD 1.1107   /* of ln |z|, z normal: pi / 8^(1/2) */
#define ENOUGH 10       /* rows below the line to tell a power from */

/* ---- noise that is normal and, in a share of the rows, has an excess ---- */

typedef struct noise {
  double sd, share, excess;
} noise;

/* A fit under way; its arrays, 'rows' long, lie in the caller's scratch. */
typedef struct mixture {
  tare_lsq s; /* solved; ends at the likeliest line */
  noise v;
  double belief;           /* variance of the noise before looking at rows */
  double *share;           /* of each row: probability that it is disturbed */
  double *excess, *square; /* its expected excess and the square of that */
  double *put_by;          /* residuals put aside, to come back to */
} mixture;

/* Logarithm of the normal distribution function, whatever the tail. */
static double log_normal_cdf(double z) {
  double q = 1.0 / (z * z);
  if (z > -30.0) return log(0.5 * erfc(-z * SQRT_HALF));
  /* the series of Mills' ratio, Abramowitz and Stegun 26.2.12 */
  q = 1.0 - q * (1.0 - 3.0 * q * (1.0 - 5.0 * q));
  return -0.5 * z * z - LOG_SQRT_2PI - log(-z) + log(q);
}

/*
** The expectations of row i, given its residual: that it is disturbed, its
** excess, and the square of that. Returns the logarithm of its density. If it
** is disturbed, its excess is normal about z - sd^2 / excess, truncated at 0.
*/
static double expect_row(mixture *w, size_t i) {
  noise v = w->v;
  double z = w->s.residual[i], about = z - v.sd * v.sd / v.excess;
  double u = about / v.sd, log_cut = log_normal_cdf(u), top, total, mills;
  double plain =
      log1p(-v.share) - 0.5 * z * z / (v.sd * v.sd) - LOG_SQRT_2PI - log(v.sd);
  double disturbed = log(v.share) - log(v.excess) +
                     0.5 * v.sd * v.sd / (v.excess * v.excess) - z / v.excess +
                     log_cut;
  top = fmax(plain, disturbed);
  total = top + log(exp(plain - top) + exp(disturbed - top));
  mills = v.sd * exp(-0.5 * u * u - LOG_SQRT_2PI - log_cut);
  w->share[i] = exp(disturbed - total);
  w->excess[i] = w->share[i] * (about + mills);
  w->square[i] = w->share[i] * (about * about + v.sd * v.sd + about * mills);
  return total;
}

/*
** The likeliest noise, given the expectations of each row. The excess is held
** at LEAST_EXCESS * sd if it would be less. Then sd maximises the likelihood of
** both: it is the root of
** (n + m) sd^2 - (excesses / LEAST_EXCESS) sd - squares = 0.
*/
static void maximise_noise(mixture *w) {
  size_t n = w->s.qr.rows, i;
  double squares = w->belief, disturbed = 0.0, excesses = 0.0, all, half;
  for (i = 0; i < n; i++) {
    double z = w->s.residual[i];
    squares += z * z - 2.0 * z * w->excess[i] + w->square[i];
    disturbed += w->share[i];
    excesses += w->excess[i];
  }
  all = (double)n + 1.0;
  w->v.share = fmin(fmax(disturbed / (double)n, LEAST_SHARE), 1 - LEAST_SHARE);
  w->v.sd = fmax(sqrt(squares / all), LEAST_SD);
  w->v.excess = excesses / fmax(disturbed, LEAST_SHARE);
  if (w->v.excess >= LEAST_EXCESS * w->v.sd) return;
  all += disturbed;
  half = 0.5 * excesses / LEAST_EXCESS / all;
  w->v.sd = fmax(half + sqrt(half * half + squares / all), LEAST_SD);
  w->v.excess = LEAST_EXCESS * w->v.sd;
}

/* One step: the expectations, then the line and noise that suit them best. */
static double step(mixture *w) {
  size_t n = w->s.qr.rows, i;
  double log_likelihood = 0.0;
  for (i = 0; i < n; i++) log_likelihood += expect_row(w, i);
  for (i = 0; i < n; i++) w->s.work[i] = w->s.residual[i] - w->excess[i];
  tare_lsq_move(&w->s, w->s.work);
  maximise_noise(w);
  return log_likelihood;
}

/* Steps until the likelihood no longer changes; returns its logarithm. */
static double climb(mixture *w, double share) {
  double last = -HUGE_VAL, now = -HUGE_VAL;
  int k;
  w->v.share = share;
  w->v.sd = sqrt(w->belief);
  w->v.excess = 2.0 * LEAST_EXCESS * w->v.sd;
  for (k = 0; k < STEPS_MAX; k++) {
    now = step(w);
    if (fabs(now - last) < 1e-11 * (1.0 + fabs(now))) break;
    last = now;
  }
  return now;
}

/* Standard deviation of the noise by the rows below the line. */
static double spread_below(mixture *w) {
  size_t n = w->s.qr.rows, i, count = 0;
  for (i = 0; i < n; i++)
    if (w->s.residual[i] < 0.0) w->s.work[count++] = -w->s.residual[i];
  if (count == 0) return LEAST_SD;
  return fmax(TARE_MAD_SCALE * tare_median(w->s.work, count), LEAST_SD);
}

/*
** Lets the line sink from that of least squares to where most rows are, by
** pulls that are clipped early above the line and late below. Returns the
** standard deviation of the noise by the rows below the line.
*/
static double sink(mixture *w) {
  size_t n = w->s.qr.rows, i;
  double sd = spread_below(w);
  int k;
  for (k = 0; k < 50; k++) {
    for (i = 0; i < n; i++)
      w->s.work[i] = fmin(fmax(w->s.residual[i], -3.0 * sd), 0.5 * sd);
    tare_lsq_move(&w->s, w->s.work);
    sd = spread_below(w);
  }
  return sd;
}

/*
** The derivatives of the log-likelihood of row i: by each term, by the
** logarithm of sd, by the logit of the share and by the logarithm of the
** excess. By Fisher's identity they are computed from the expectations of the
** row.
*/
static void score_row(const mixture *w, size_t i, double *score) {
  int terms = w->s.qr.terms, t;
  noise v = w->v;
  double z = w->s.residual[i], variance = v.sd * v.sd;
  double pull = (z - w->excess[i]) / variance;
  for (t = 0; t < terms; t++)
    score[t] = pull * w->s.x[(size_t)t * w->s.qr.rows + i];
  score[terms] =
      (z * z - 2.0 * z * w->excess[i] + w->square[i]) / variance - 1.0;
  score[terms + 1] = w->share[i] - v.share;
  score[terms + 2] = w->excess[i] / v.excess - w->share[i];
}

/*
** How many parameters the rows determine: neither share nor excess if no row is
** disturbed; no excess if it is held at LEAST_EXCESS * sd.
*/
static int parameters(const mixture *w) {
  int terms = w->s.qr.terms;
  if (w->v.share * (double)w->s.qr.rows < 1.0) return terms + 1;
  return terms + (w->v.excess > LEAST_EXCESS * w->v.sd ? 3 : 2);
}

/*
** Standard errors by term, from the sum of squares of the likelihood's
** derivatives (Meilijson 1989), through their QR factors; NaN where those are
** dependent. 'matrix' has rows x (terms + NUISANCE) values.
*/
static void errors_of(mixture *w, double *matrix, double *sd) {
  double score[TARE_QR_MAX];
  size_t n = w->s.qr.rows, i;
  int terms = w->s.qr.terms, t, dependent;
  tare_qr qr;
  if (w->v.sd <= LEAST_SD) { /* every row lies on the line */
    memset(sd, 0, (size_t)terms * sizeof *sd);
    return;
  }
  qr.a = matrix;
  qr.rows = n;
  qr.terms = parameters(w);
  for (i = 0; i < n; i++) {
    score_row(w, i, score);
    if (qr.terms == terms + 2) score[terms] += score[terms + 2];
    for (t = 0; t < qr.terms; t++) matrix[(size_t)t * n + i] = score[t];
  }
  dependent = tare_qr_factor(&qr, 1e-9);
  if (dependent >= 0) qr.terms = dependent;
  if (qr.terms >= terms) tare_qr_inverse_gram(&qr, score);
  for (t = 0; t < terms; t++) sd[t] = qr.terms < terms ? NAN : sqrt(score[t]);
}

/* The state of a run, except its residuals. */
typedef struct mixture_place {
  double beta[TARE_TERMS_MAX];
  noise v;
} mixture_place;

static mixture_place place_of(const mixture *w) {
  mixture_place p;
  memcpy(p.beta, w->s.beta, sizeof p.beta);
  p.v = w->v;
  return p;
}

/*
** Changes to the state 'p' and the residuals put by; puts by the current ones.
*/
static void change_place(mixture *w, const mixture_place *p) {
  double *put_by = w->put_by;
  w->put_by = w->s.residual;
  w->s.residual = put_by;
  memcpy(w->s.beta, p->beta, sizeof p->beta);
  w->v = p->v;
}

/*
** The likeliest noise and its line, by expectation and maximisation (Dempster,
** Laird and Rubin 1977), from two starts: the line that has sunk, with few rows
** disturbed, and the line of least squares, with many. Ends at the likelier of
** the two.
*/
static void fit_mixture(mixture *w) {
  mixture_place start, sunk;
  double spread, likelihood;
  memset(&w->v, 0, sizeof w->v);
  start = place_of(w);
  memcpy(w->put_by, w->s.residual, w->s.qr.rows * sizeof(double));
  spread = sink(w);
  w->belief = spread * spread;
  likelihood = climb(w, 0.1);
  sunk = place_of(w);
  change_place(w, &start);
  if (climb(w, 0.4) > likelihood) return;
  change_place(w, &sunk);
  (void)step(w); /* for the expectations there */
}

/* ---- rows that are noisier than others ---- */

/* The design with each row divided by its scale; the intercept is a column. */
typedef struct workspace {
  const tare_design *from;
  tare_design to;
  const double *column[TARE_TERMS_MAX];
  double *y, *x; /* x: rows x terms */
  double *scale; /* of each row's noise; their geometric mean is 1 */
  double *size;  /* what the scale is a power of */
  double power;
} workspace;

size_t tare_skew_doubles(size_t rows, int terms) {
  /* four columns of the run's own; then the workspace's, later the scores */
  return tare_lsq_doubles(rows, terms) + rows * (4 + (size_t)terms + NUISANCE);
}

static void set_up(workspace *f, const tare_design *d, double *scratch) {
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

/* Solves the scaled design; columns in order, the intercept last. */
static tare_fit_status solve(workspace *f, tare_lsq *s, double *scratch) {
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
static double power_of(const workspace *f, const tare_lsq *s, double spread) {
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
static void set_sizes(workspace *f, const tare_lsq *s, double spread) {
  size_t i;
  for (i = 0; i < s->qr.rows; i++)
    f->size[i] =
        hypot((s->y[i] - s->residual[i]) * f->scale[i], spread * f->scale[i]);
}

/* Scales to a power of the sizes, with a geometric mean of 1. */
static void set_scales(workspace *f) {
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
static void find_scales(workspace *f, mixture *w, double *scratch) {
  int pass;
  for (pass = 0; pass < PASSES_MAX; pass++) {
    double spread = sink(w), before = f->power;
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
static void set_noise(tare_robust *fit, const mixture *w, double power) {
  int some = w->v.share > LEAST_SHARE, noisy = w->v.sd > LEAST_SD;
  fit->noise_sd = noisy ? ldexp(w->v.sd, w->s.y_exponent) : 0.0;
  fit->share = some ? w->v.share : 0.0;
  fit->excess = some ? ldexp(w->v.excess, w->s.y_exponent) : NAN;
  fit->power = power;
}

tare_fit_status tare_skew_fit(const tare_design *d, double confidence,
                              double *scratch, tare_robust *fit, int *column) {
  mixture w;
  workspace f;
  double sd[TARE_TERMS_MAX], *own, dof;
  int terms = tare_design_terms(d);
  tare_fit_status status;
  *column = -1;
  if (d->rows < (size_t)terms + NUISANCE) return TARE_FIT_TOO_FEW_ROWS;
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
  fit_mixture(&w);
  /* the workspace is no longer needed: its place is that of the scores */
  errors_of(&w, own, sd);
  dof = fmax((double)d->rows - terms - NUISANCE, 1.0);
  tare_robust_set(fit, &w.s, sd,
                  tare_t_quantile(0.5 * (1.0 + confidence), dof));
  set_noise(fit, &w, f.power);
  return TARE_FIT_OK;
}
