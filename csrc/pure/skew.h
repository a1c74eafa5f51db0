/*
** A regression for timings, which disturbances only make longer. Noise is
** normal; a share of the rows carries an exponential excess on top. Least
** squares count the mean of that excess as cost, and robust fits count a part
** of it. Here it is estimated and taken out.
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
** 1977) from two starts. The mean of a disturbance is at least 3 standard
** deviations of the noise: what is less counts as noise. A prior worth one row,
** with the spread below the line, keeps the noise from vanishing. Intervals are
** from the empirical information (Meilijson 1989).
**
** Long batches are often noisier than short ones. Where the rows below the line
** show this, noise and disturbances are proportional to a power of a row's
** size, at most 1 (Carroll and Ruppert 1988, "Transformation and weighting in
** regression", 2.4), and rows are weighted accordingly. noise_sd, that of the
** normal part, and excess are then those of a row of (geometric) mean size. The
** fit needs 3 rows more than terms, for share, excess and noise.
*/
tare_fit_status tare_skew_fit(const tare_design *d, double confidence,
                              double *scratch, tare_robust *fit, int *column);

#endif
