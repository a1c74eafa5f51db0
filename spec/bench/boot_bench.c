/*
** What a bootstrap costs for each row it draws, beside a plain resample and
** refit of the same rows with the same generator, in the same run.
*/
#include "side_by_side.h"
#include "pure/bootstrap_fit.h"

#include <stdio.h>
#include <stdlib.h>

#define ROWS 1000
#define RESAMPLES 10000
#define PLAIN                                                                  \
  1000 /* resamples of the plain way: it needs no more to be timed */
#define TURNS 7

typedef struct bench {
  double y[ROWS], x[3][ROWS];
  double drawn_y[ROWS], drawn_x[3][ROWS];
  const double *columns[3];
  double *scratch;
  tare_rng rng;
  double sink; /* what comes out, so that no compiler leaves it away */
} bench;

static double uniform(tare_rng *rng) {
  return (double)(tare_rng_next(rng) >> 11) * 0x1p-53;
}

static void make_rows(bench *b) {
  int i, c;
  tare_rng_seed(&b->rng, 1);
  for (i = 0; i < ROWS; i++) {
    b->x[0][i] = i + 1;
    b->x[1][i] = (double)(i % 17 == 0);
    b->x[2][i] = uniform(&b->rng) * 9.0;
    b->y[i] = 40.0 + 3.0 * b->x[0][i] + 20.0 * b->x[1][i] + b->x[2][i] +
              uniform(&b->rng) * 100.0;
  }
  for (c = 0; c < 3; c++) b->columns[c] = b->x[c];
}

static void bootstrap(bench *b, int columns) {
  tare_design d;
  tare_boot boot = {
      {ROWS, 0, NULL, 0}, RESAMPLES, 0.95, 1, TARE_BOOT_PERCENTILE};
  tare_ols fit;
  tare_bounds bounds[TARE_TERMS_MAX + 1];
  int column;
  d.y = b->y;
  d.x = b->columns;
  d.rows = ROWS;
  d.columns = columns;
  d.intercept = 1;
  if (tare_boot_fit(&d, &boot, b->scratch, &fit, bounds, &column) !=
      TARE_FIT_OK)
    abort();
  b->sink += bounds[0].low;
}

static void bootstrap_1(void *b) {
  bootstrap((bench *)b, 1);
}

static void bootstrap_3(void *b) {
  bootstrap((bench *)b, 3);
}

static void draw_rows(bench *b, int columns) {
  int i, c;
  for (i = 0; i < ROWS; i++) {
    size_t row = (size_t)(tare_rng_next(&b->rng) % ROWS);
    b->drawn_y[i] = b->y[row];
    for (c = 0; c < columns; c++) b->drawn_x[c][i] = b->x[c][row];
  }
}

static double mean_of(const double *xs) {
  double sum = 0.0;
  int i;
  for (i = 0; i < ROWS; i++) sum += xs[i];
  return sum / ROWS;
}

/* Slope, intercept and R2 of the drawn rows by the textbook's formulas. */
static double refit_1(const bench *b) {
  const double *x = b->drawn_x[0], *y = b->drawn_y;
  double mx = mean_of(x), my = mean_of(y), xx = 0.0, xy = 0.0, yy = 0.0;
  double rss = 0.0, slope, intercept;
  int i;
  for (i = 0; i < ROWS; i++) {
    double dx = x[i] - mx, dy = y[i] - my;
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
  }
  slope = xy / xx;
  intercept = my - slope * mx;
  for (i = 0; i < ROWS; i++) {
    double e = y[i] - intercept - slope * x[i];
    rss += e * e;
  }
  return slope + intercept + (1.0 - rss / yy);
}

static void plain_1(void *data) {
  bench *b = (bench *)data;
  int r;
  for (r = 0; r < PLAIN; r++) {
    draw_rows(b, 1);
    b->sink += refit_1(b);
  }
}

/* Solves a[3][3] s = v in place, by elimination. */
static void solve_3(double a[3][3], double *v) {
  int p, i, j;
  for (p = 0; p < 3; p++)
    for (i = p + 1; i < 3; i++) {
      double share = a[i][p] / a[p][p];
      for (j = p; j < 3; j++) a[i][j] -= share * a[p][j];
      v[i] -= share * v[p];
    }
  for (p = 2; p >= 0; p--) {
    for (j = p + 1; j < 3; j++) v[p] -= a[p][j] * v[j];
    v[p] /= a[p][p];
  }
}

/* Three slopes, intercept and R2 by the normal equations about the means. */
static double refit_3(const bench *b) {
  double mean[3], my = mean_of(b->drawn_y), a[3][3] = {{0}}, v[3] = {0};
  double yy = 0.0, rss = 0.0, intercept = my;
  int i, c, k;
  for (c = 0; c < 3; c++) mean[c] = mean_of(b->drawn_x[c]);
  for (i = 0; i < ROWS; i++) {
    double dy = b->drawn_y[i] - my;
    yy += dy * dy;
    for (c = 0; c < 3; c++) {
      double dx = b->drawn_x[c][i] - mean[c];
      v[c] += dx * dy;
      for (k = 0; k < 3; k++) a[c][k] += dx * (b->drawn_x[k][i] - mean[k]);
    }
  }
  solve_3(a, v);
  for (c = 0; c < 3; c++) intercept -= v[c] * mean[c];
  for (i = 0; i < ROWS; i++) {
    double e = b->drawn_y[i] - intercept;
    for (c = 0; c < 3; c++) e -= v[c] * b->drawn_x[c][i];
    rss += e * e;
  }
  return v[0] + intercept + (1.0 - rss / yy);
}

static void plain_3(void *data) {
  bench *b = (bench *)data;
  int r;
  for (r = 0; r < PLAIN; r++) {
    draw_rows(b, 3);
    b->sink += refit_3(b);
  }
}

static void print_pair(const char *what, const way *own, const way *plain) {
  printf("  %-34s %6.2f %9.2f %8.1fx\n", what, own->best_ns, plain->best_ns,
         plain->best_ns / own->best_ns);
}

int main(void) {
  static bench b;
  tare_boot boot = {
      {ROWS, 0, NULL, 0}, RESAMPLES, 0.95, 1, TARE_BOOT_PERCENTILE};
  tare_design d = {b.y, b.columns, ROWS, 3, 1};
  way ways[4] = {{"1", bootstrap_1, (double)ROWS * RESAMPLES, 0.0},
                 {"plain 1", plain_1, (double)ROWS * PLAIN, 0.0},
                 {"3", bootstrap_3, (double)ROWS * RESAMPLES, 0.0},
                 {"plain 3", plain_3, (double)ROWS * PLAIN, 0.0}};
  b.scratch =
      (double *)malloc(tare_boot_fit_doubles(&d, &boot) * sizeof(double));
  if (b.scratch == NULL) return 1;
  make_rows(&b);
  side_by_side(ways, 4, TURNS, &b);
  printf("bootstrap, ns a drawn row (%d rows, %d resamples, with intervals)\n"
         "  %-34s %6s %9s %9s\n",
         ROWS, RESAMPLES, "", "tare", "plain C", "ratio");
  print_pair("slope, intercept, R2", &ways[0], &ways[1]);
  print_pair("three slopes, intercept, R2", &ways[2], &ways[3]);
  free(b.scratch);
  return b.sink == 0.0;
}
