#include "pure/disturbed.h"
#include "pure/stats.h"

#include <math.h>
#include <string.h>

#define SQRT_HALF 0.70710678118654752440
#define LOG_SQRT_2PI 0.91893853320467274178
#define LEAST_EXCESS 3.0 /* of a disturbance, in standard deviations of noise */
#define STEPS_MAX 1000

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
static double expect_row(tare_disturbed *w, size_t i) {
  tare_noise v = w->v;
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
static void maximise_noise(tare_disturbed *w) {
  size_t n = w->s.qr.rows, i;
  double squares = w->belief, disturbed = 0.0, excesses = 0.0, all, half;
  for (i = 0; i < n; i++) {
    double z = w->s.residual[i];
    squares += z * z - 2.0 * z * w->excess[i] + w->square[i];
    disturbed += w->share[i];
    excesses += w->excess[i];
  }
  all = (double)n + 1.0;
  w->v.share =
      fmin(fmax(disturbed / (double)n, TARE_LEAST_SHARE), 1 - TARE_LEAST_SHARE);
  w->v.sd = fmax(sqrt(squares / all), TARE_LEAST_SD);
  w->v.excess = excesses / fmax(disturbed, TARE_LEAST_SHARE);
  if (w->v.excess >= LEAST_EXCESS * w->v.sd) return;
  all += disturbed;
  half = 0.5 * excesses / LEAST_EXCESS / all;
  w->v.sd = fmax(half + sqrt(half * half + squares / all), TARE_LEAST_SD);
  w->v.excess = LEAST_EXCESS * w->v.sd;
}

/* One step: expects, then moves the line and the noise. */
static double step(tare_disturbed *w) {
  size_t n = w->s.qr.rows, i;
  double log_likelihood = 0.0;
  for (i = 0; i < n; i++) log_likelihood += expect_row(w, i);
  for (i = 0; i < n; i++) w->s.work[i] = w->s.residual[i] - w->excess[i];
  tare_lsq_move(&w->s, w->s.work);
  maximise_noise(w);
  return log_likelihood;
}

/* Steps until the likelihood stands; returns its logarithm. */
static double climb(tare_disturbed *w, double share) {
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
static double spread_below(tare_disturbed *w) {
  size_t n = w->s.qr.rows, i, count = 0;
  for (i = 0; i < n; i++)
    if (w->s.residual[i] < 0.0) w->s.work[count++] = -w->s.residual[i];
  if (count == 0) return TARE_LEAST_SD;
  return fmax(TARE_MAD_SCALE * tare_median(w->s.work, count), TARE_LEAST_SD);
}

/* By pulls that are clipped early above the line and late below. */
double tare_disturbed_sink(tare_disturbed *w) {
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
static void score_row(const tare_disturbed *w, size_t i, double *score) {
  int terms = w->s.qr.terms, t;
  tare_noise v = w->v;
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
static int parameters(const tare_disturbed *w) {
  int terms = w->s.qr.terms;
  if (w->v.share * (double)w->s.qr.rows < 1.0) return terms + 1;
  return terms + (w->v.excess > LEAST_EXCESS * w->v.sd ? 3 : 2);
}

void tare_disturbed_errors(tare_disturbed *w, double *matrix, double *sd) {
  double score[TARE_QR_MAX];
  size_t n = w->s.qr.rows, i;
  int terms = w->s.qr.terms, t, dependent;
  tare_qr qr;
  if (w->v.sd <= TARE_LEAST_SD) { /* every row lies on the line */
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
  tare_noise v;
} place;

static place place_of(const tare_disturbed *w) {
  place p;
  memcpy(p.beta, w->s.beta, sizeof p.beta);
  p.v = w->v;
  return p;
}

/* Changes to 'p', of which the residuals are those put by. */
static void change_place(tare_disturbed *w, const place *p) {
  double *put_by = w->put_by;
  w->put_by = w->s.residual;
  w->s.residual = put_by;
  memcpy(w->s.beta, p->beta, sizeof p->beta);
  w->v = p->v;
}

void tare_disturbed_fit(tare_disturbed *w) {
  place start, sunk;
  double spread, likelihood;
  memset(&w->v, 0, sizeof w->v);
  start = place_of(w);
  memcpy(w->put_by, w->s.residual, w->s.qr.rows * sizeof(double));
  spread = tare_disturbed_sink(w);
  w->belief = spread * spread;
  likelihood = climb(w, 0.1);
  sunk = place_of(w);
  change_place(w, &start);
  if (climb(w, 0.4) > likelihood) return;
  change_place(w, &sunk);
  (void)step(w); /* for the expectations that go with it */
}
