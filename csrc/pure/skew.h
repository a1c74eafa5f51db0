/*
** A regression that knows that what disturbs a timing makes it longer. Noise
** is normal; a share of the rows carries an exponential excess on top. Least
** squares take the mean of that excess for cost, and robust fits a part of it:
** here it is estimated, and taken out.
*/
#ifndef TARE_SKEW_H
#define TARE_SKEW_H

#include "pure/robust_fit.h"

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
** Intervals are from the empirical information (Meilijson 1989).
**
** Long batches are often noisier than short ones. Where the rows below the
** line tell so, noise and disturbances go with a power of a row's size, at
** most 1 (Carroll and Ruppert 1988, "Transformation and weighting in
** regression", 2.4), and rows count as they deserve. noise_sd, that of the
** normal part, and excess are then those of a row of (geometric) mean size.
** It needs 3 rows more than terms, for share, excess and noise.
*/
tare_fit_status tare_skew_fit(const tare_design *d, double confidence,
                              double *scratch, tare_robust *fit, int *column);

#endif
