/*
** A regression that knows that what disturbs a timing makes it longer. Noise
** is normal; a share of the rows carries an exponential excess on top. Least
** squares take the mean of that excess for cost, and robust fits a part of it:
** here it is estimated, and taken out.
*/
#ifndef TARE_SKEW_H
#define TARE_SKEW_H

#include "pure/robust.h"

/* Doubles of scratch for tare_skew_fit(). */
size_t tare_skew_doubles(size_t rows, int terms);

/*
** The likeliest fit for noise that is normal and, with some probability, has
** an exponential part (Meeusen and van den Broeck 1977; with the probability
** Kumbhakar, Parmeter and Tsionas 2013, "A zero inefficiency stochastic
** frontier model"), by expectation and maximisation (Dempster, Laird and Rubin
** 1977) from two starts. A disturbance is one that on average exceeds 3
** standard deviations of the noise: what is less counts as noise. One row's
** worth of belief in the spread below the line keeps the noise from vanishing.
** Intervals are from the empirical information (Meilijson 1989). noise_sd is
** that of the normal part.
** It needs 3 rows more than terms, for share, excess and noise.
*/
tare_fit_status tare_skew_fit(const tare_design *d, double confidence,
                              double *scratch, tare_robust *fit, int *column);

#endif
