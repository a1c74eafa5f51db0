/*
** Are two samples alike? Tests of a difference, of equivalence, and the
** correction for testing several at once.
*/
#ifndef TARE_TWO_SAMPLES_H
#define TARE_TWO_SAMPLES_H

#include <stddef.h>

/* A difference of means with what is needed to judge it by Student's t. */
typedef struct tare_difference {
  double value; /* the difference itself */
  double error; /* its standard error */
  double df;    /* degrees of freedom */
} tare_difference;

/*
** Mean of a minus mean of b, without assuming equal variances: Welch (1947),
** "The generalization of 'Student's' problem", Biometrika 34; degrees of
** freedom after Satterthwaite (1946). Requires na >= 2 and nb >= 2.
*/
tare_difference tare_welch(const double *a, size_t na, const double *b,
                           size_t nb);

/* Mean of a minus a number. Requires n >= 2. */
tare_difference tare_one_sample(const double *a, size_t n, double reference);

/*
** t for the hypothesis that the true difference is 'hypothesis'. Where nothing
** varies: 0 if the difference equals 'hypothesis', else infinite.
*/
double tare_difference_t(const tare_difference *d, double hypothesis);

/*
** p-value of two one-sided tests that the true difference lies outside
** low..high: small where it is shown to lie inside. Schuirmann (1987), Journal
** of Pharmacokinetics and Biopharmaceutics 15(6).
*/
double tare_tost(const tare_difference *d, double low, double high);

typedef struct tare_ranks {
  double u;        /* pairs with a above b, ties count half */
  double superior; /* their share: 0.5 where neither tends to be above */
  double p;        /* two-sided */
  int exact;       /* p is from the permutation distribution */
} tare_ranks;

/*
** The test of Mann and Whitney (1947), Annals of Mathematical Statistics 18.
** Up to na * nb = 625 pairs p is exact, ties included: of all ways to split the
** pooled values into two such samples, the share whose u is as far from the
** middle or further. Beyond, it is the normal approximation with continuity and
** tie correction (Lehmann 1975, Nonparametrics, section 1.2 and 1.4). Sorts a
** and b. 'work' holds tare_ranks_work(na, nb) doubles. Requires na, nb >= 1.
*/
tare_ranks tare_mann_whitney(double *a, size_t na, double *b, size_t nb,
                             double *work);
size_t tare_ranks_work(size_t na, size_t nb);

/*
** Holm's step-down adjustment of n p-values: an adjusted value of at most alpha
** is significant at a family-wise level of alpha. Holm (1979), Scandinavian
** Journal of Statistics 6. 'work' holds 2 n doubles.
*/
void tare_holm(const double *ps, size_t n, double *adjusted, double *work);

#endif
