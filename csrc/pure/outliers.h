/* Values far from the bulk of a sample, and what they do to its spread. */
#ifndef TARE_OUTLIERS_H
#define TARE_OUTLIERS_H

#include <stddef.h>

typedef struct tare_outliers {
  size_t samples, low_severe, low_mild, high_mild, high_severe;
} tare_outliers;

/*
** Counts the values on or beyond Tukey's fences (Exploratory Data Analysis,
** 1977): 1.5 (mild) and 3 (severe) interquartile ranges outside the quartiles.
** A value on the low and the high fence at once is none, so constant data has
** none. Sorts 'work'. Requires n >= 1.
*/
tare_outliers tare_outliers_count(double *work, size_t n);

typedef enum tare_effect {
  TARE_UNAFFECTED, /* below 1 % */
  TARE_SLIGHT,     /* below 10 % */
  TARE_MODERATE,   /* below 50 % */
  TARE_SEVERE
} tare_effect;

/*
** The least share of the variance sd * sd that outliers must account for, by
** the formula of criterion (B. O'Sullivan 2009) and Criterium, which is that
** of the supplement to B. Boyer's "Robust Java benchmarking" (2008): a sample
** is taken for a mixture of normal measurements and outliers. 'n' counts all
** samples, also those that 'mean' and 'sd' leave out. 0 where sd is 0.
** Requires n >= 1.
*/
double tare_outlier_variance(double mean, double sd, double n);

/* How severe that share is. */
tare_effect tare_outlier_effect(double fraction);

#endif
