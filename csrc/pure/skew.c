#include "pure/skew.h"
#include "pure/dist.h"
#include "pure/stats.h"

#include <math.h>
#include <string.h>

#define SQRT_HALF 0.70710678118654752440
#define LOG_SQRT_2PI 0.91893853320467274178
#define LEAST_EXCESS 3.0 /* of a disturbance, in standard deviations of noise */
#define LEAST_SHARE 1e-9
#define LEAST_SD 1e-14 /* of a response that is at most 1 */
#define STEPS_MAX 1000
#define NUISANCE 3 /* sd, share and excess, beside the coefficients */

typedef struct noise {
  double sd, share, excess;
} noise;

/* A fit under way; its arrays lie in the caller's scratch. */
typedef struct run {
  tare_lsq s;
  noise v;
  double belief;           /* variance of the noise before looking at rows */
  double *share;           /* of each row: probability that it is disturbed */
  double *excess, *square; /* its expected excess and the square of that */
  double *put_by;          /* residuals to come back to */
} run;

size_t tare_skew_doubles(size_t rows, int terms) {
  return tare_lsq_doubles(rows, terms) + rows * (4 + (size_t)terms + NUISANCE);
}

/* Logarithm of the normal distribution function, whatever the tail. */
static double log_normal_cdf(double z) {
  double q = 1.0 / (z * z);
  if (z > -30.0) return log(0.5 * erfc(-z * SQRT_HALF));
  /* the series of Mills' ratio, Abramowitz and Stegun 26.2.12 */
  q = 1.0 - q * (1.0 - 3.0 * q * (1.0 - 5.0 * q));
  return -0.5 * z * z - LOG_SQRT_2PI - log(-z) + log(q);
}

/*
** What row i is expected to carry, given its residual; returns the logarithm
** of its density. Given that it is disturbed, its excess is normal about
** z - sd^2 / excess, cut off at 0.
*/
static double expect_row(run *w, size_t i) {
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
** The likeliest noise, given what each row is expected to carry. Where the
** excess would be less than LEAST_EXCESS of them, the standard deviation
** maximises both at that ratio: the root of
** (n + m) sd^2 - (excesses / LEAST_EXCESS) sd - squares = 0.
*/
static void maximise_noise(run *w) {
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

/* One step: expects, then moves the line and the noise. */
static double step(run *w) {
  size_t n = w->s.qr.rows, i;
  double log_likelihood = 0.0;
  for (i = 0; i < n; i++) log_likelihood += expect_row(w, i);
  for (i = 0; i < n; i++) w->s.work[i] = w->s.residual[i] - w->excess[i];
  tare_lsq_move(&w->s, w->s.work);
  maximise_noise(w);
  return log_likelihood;
}

/* Steps until the likelihood stands; returns its logarithm. */
static double climb(run *w, double share) {
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
static double spread_below(run *w) {
  size_t n = w->s.qr.rows, i, count = 0;
  for (i = 0; i < n; i++)
    if (w->s.residual[i] < 0.0) w->s.work[count++] = -w->s.residual[i];
  if (count == 0) return LEAST_SD;
  return fmax(TARE_MAD_SCALE * tare_median(w->s.work, count), LEAST_SD);
}

/*
** Lets the line sink to where most rows are, by pulls that are clipped early
** above it and late below; returns the spread there.
*/
static double sink(run *w) {
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
** The likelihood's derivatives of row i: by each term, by the logarithm of sd,
** by the logit of the share and by the logarithm of the excess. By Fisher's
** identity they are those of what the row is expected to carry.
*/
static void score_row(const run *w, size_t i, double *score) {
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
** How many parameters rows tell about: no share and no excess where none is
** disturbed; no excess of its own where it is held to the noise's sd.
*/
static int parameters(const run *w) {
  int terms = w->s.qr.terms;
  if (w->v.share * (double)w->s.qr.rows < 1.0) return terms + 1;
  return terms + (w->v.excess > LEAST_EXCESS * w->v.sd ? 3 : 2);
}

/*
** Standard errors by term from the sum of squares of the scores, through its
** QR factors; 'matrix' has rows x (terms + 3) values.
*/
static void standard_errors(run *w, double *matrix, double *sd) {
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

/* Where a run stands, but for its residuals. */
typedef struct place {
  double beta[TARE_TERMS_MAX];
  noise v;
} place;

static place place_of(const run *w) {
  place p;
  memcpy(p.beta, w->s.beta, sizeof p.beta);
  p.v = w->v;
  return p;
}

/* Changes to 'p', of which the residuals are those put by. */
static void change_place(run *w, const place *p) {
  double *put_by = w->put_by;
  w->put_by = w->s.residual;
  w->s.residual = put_by;
  memcpy(w->s.beta, p->beta, sizeof p->beta);
  w->v = p->v;
}

/*
** Climbs from where the line sinks to, with few rows disturbed, and from least
** squares' line with many; stays at the likelier of the two.
*/
static void climb_twice(run *w) {
  place start, sunk;
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
  (void)step(w); /* for the expectations that go with it */
}

/* Writes the noise, in the units of the data. */
static void set_noise(tare_robust *fit, const run *w) {
  int some = w->v.share > LEAST_SHARE, noisy = w->v.sd > LEAST_SD;
  fit->noise_sd = noisy ? ldexp(w->v.sd, w->s.y_exponent) : 0.0;
  fit->share = some ? w->v.share : 0.0;
  fit->excess = some ? ldexp(w->v.excess, w->s.y_exponent) : NAN;
}

tare_fit_status tare_skew_fit(const tare_design *d, double confidence,
                              double *scratch, tare_robust *fit, int *column) {
  run w;
  double sd[TARE_TERMS_MAX], dof = (double)d->rows;
  int terms = tare_design_terms(d);
  tare_fit_status status;
  *column = -1;
  if (d->rows < (size_t)terms + NUISANCE) return TARE_FIT_TOO_FEW_ROWS;
  status = tare_lsq_solve(&w.s, d, scratch, column);
  if (status != TARE_FIT_OK) return status;
  w.share = scratch + tare_lsq_doubles(d->rows, terms);
  w.excess = w.share + d->rows;
  w.square = w.excess + d->rows;
  w.put_by = w.square + d->rows;
  climb_twice(&w);
  standard_errors(&w, w.square + 2 * d->rows, sd);
  dof = fmax(dof - terms - NUISANCE, 1.0);
  tare_robust_set(fit, &w.s, sd,
                  tare_t_quantile(0.5 * (1.0 + confidence), dof));
  set_noise(fit, &w);
  return TARE_FIT_OK;
}
