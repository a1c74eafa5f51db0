/*
** Kernel density by diffusion: Botev, Grotowski and Kroese (2010), "Kernel
** density estimation via diffusion", Annals of Statistics 38(5). Unlike rules
** of thumb it does not assume normal data: two speeds of a machine stay two.
*/
#ifndef TARE_DENSITY_H
#define TARE_DENSITY_H

#include <stddef.h>

enum {
  TARE_DENSITY_POINTS = 128,
  TARE_DENSITY_WORK = 6 * TARE_DENSITY_POINTS /* doubles of scratch */
};

/*
** Estimates the density ys[0..TARE_DENSITY_POINTS-1] at as many points xs, from
** a tenth of the range below the sample to a tenth above it, and returns the
** bandwidth. Where the equation for the bandwidth has no root, its square is by
** the rule of thumb of the paper's own code: 0.28 n^-2/5, for a range of 1.
** Constant samples are taken to have a range of 1. Same mesh, transforms and
** root search as criterion's reports, so they can be laid over each other.
** Requires n >= 1 and finite values.
*/
double tare_density(const double *sample, size_t n, double *xs, double *ys,
                    double *work);

#endif
