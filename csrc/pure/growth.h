/*
** How a cost grows with a size: which law fits a sweep, and which exponent.
** A law is constant + factor * g(n), compared in logarithms, since the noise
** of times is relative to them.
*/
#ifndef TARE_GROWTH_H
#define TARE_GROWTH_H

#include <stddef.h>

typedef struct tare_exponent {
  double value, low, high; /* NaN where it is not known */
} tare_exponent;

/* X(identifier, name): the laws, in ascending order. */
#define TARE_LAWS(X)                                                           \
  X(CONSTANT, "1")                                                             \
  X(LOG, "log n")                                                              \
  X(LINEAR, "n")                                                               \
  X(N_LOG_N, "n log n")                                                        \
  X(SQUARE, "n^2")                                                             \
  X(CUBE, "n^3")

#define TARE_LAW_ENUM(id, name) TARE_LAW_##id,
typedef enum tare_law { TARE_LAWS(TARE_LAW_ENUM) TARE_LAW_COUNT } tare_law;
#undef TARE_LAW_ENUM

typedef struct tare_growth {
  int law;                     /* the best, or -1 for too few points */
  int tied[TARE_LAW_COUNT];    /* can't be excluded */
  double aicc[TARE_LAW_COUNT]; /* infinite where it does not take part */
  double constant, factor;     /* of the best */
  tare_exponent exponent;
} tare_growth;

/* The name of a law. Requires 0 <= law < TARE_LAW_COUNT. */
const char *tare_law_name(int law);

/* Doubles of scratch for n points. */
#define TARE_GROWTH_WORK(n) (3 * (n))

/*
** Fits every law and takes the one with the least AICc.
** - Tied with a law that grows are the others of the smallest set of growing
**   laws whose Akaike weights add up to 'confidence' (Burnham and Anderson
**   2002, Model Selection and Multimodel Inference, 4.5), and "1" if the slope
**   of logarithms may be 0 at that confidence.
** - Tied with "1" are the laws whose own slope lies in the interval of that
**   slope, if it may be 0. If it can't be 0, the set above is tied with "1":
**   few points weigh little against a second coefficient.
** Laws with a logarithm take part if no size is below 1. Fewer than 5 points
** leave no room for a constant and name no law. Fewer than 3, or fewer than 3
** different sizes, have no exponent either. The exponent is that of
** factor * n^p if the law is "1" or points are fewer than 5. Requires sizes and
** times above 0.
*/
void tare_growth_fit(const double *ns, const double *ts, size_t n,
                     double confidence, double *work, tare_growth *out);

#endif
