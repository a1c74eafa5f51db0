#include "pure/ols.h"

#include <math.h>

double tare_r2(double rss, double tss) {
  return tss > 0.0 ? 1.0 - rss / tss : NAN;
}

double tare_adjusted_r2(double r2, size_t rows, int terms, int intercept) {
  double dof = (double)rows - terms;
  return dof > 0.0 ? 1.0 - (1.0 - r2) * ((double)rows - intercept) / dof : NAN;
}

/*
** Sum of squares of a term's column, about its mean where there is an
** intercept: R's column without the row of the intercept.
*/
static double column_ss(const tare_lsq *s, int term) {
  double sum = 0.0;
  int i;
  for (i = s->intercept; i <= term; i++) {
    double v = tare_qr_r(&s->qr, i, term);
    sum += v * v;
  }
  return sum;
}

void tare_ols_summary(const tare_lsq *s, tare_ols *fit) {
  double gram[TARE_TERMS_MAX];
  int terms = s->qr.terms, t;
  double rss = tare_lsq_rss(s), sd;
  fit->dof = s->qr.rows - (size_t)terms;
  sd = fit->dof > 0 ? sqrt(rss / (double)fit->dof) : NAN;
  tare_qr_inverse_gram(&s->qr, gram);
  for (t = 0; t < terms; t++) {
    double unit = tare_lsq_unit(s, t);
    int slot = tare_lsq_slot(s, t);
    fit->coefficient[slot] = s->beta[t] * unit;
    fit->stderror[slot] = sd * sqrt(gram[t]) * unit;
    if (slot < s->columns) fit->vif[slot] = gram[t] * column_ss(s, t);
  }
  fit->r2 = tare_r2(rss, tare_lsq_tss(s));
  fit->adjusted_r2 = tare_adjusted_r2(fit->r2, s->qr.rows, terms, s->intercept);
  fit->residual_sd = ldexp(sd, s->y_exponent);
}

tare_fit_status tare_ols_fit(const tare_design *d, double *scratch,
                             tare_ols *fit, int *column) {
  tare_lsq s;
  tare_fit_status status = tare_lsq_solve(&s, d, scratch, column);
  if (status == TARE_FIT_OK) tare_ols_summary(&s, fit);
  return status;
}
