/*
** Noise that is normal and, in a share of the rows, has an exponential excess:
** its likeliest parameters, and the line that goes with them, by expectation
** and maximisation (Dempster, Laird and Rubin 1977). skew.h has the model.
*/
#ifndef TARE_DISTURBED_H
#define TARE_DISTURBED_H

#include "pure/lsq.h"

#define TARE_NUISANCE 3 /* sd, share and excess, beside the coefficients */
#define TARE_LEAST_SHARE 1e-9
#define TARE_LEAST_SD 1e-14 /* of a response that is at most 1 */

typedef struct tare_noise {
  double sd, share, excess;
} tare_noise;

/* A fit under way; its arrays, 'rows' long, lie in the caller's scratch. */
typedef struct tare_disturbed {
  tare_lsq s; /* solved; ends at the likeliest line */
  tare_noise v;
  double belief;           /* variance of the noise before looking at rows */
  double *share;           /* of each row: probability that it is disturbed */
  double *excess, *square; /* its expected excess and the square of that */
  double *put_by;          /* residuals to come back to */
} tare_disturbed;

/*
** Lets the line sink from least squares' to where most rows are; returns the
** standard deviation of the noise by the rows below it.
*/
double tare_disturbed_sink(tare_disturbed *w);

/*
** Climbs from where the line sinks to, with few rows disturbed, and from least
** squares' line with many; ends at the likelier of the two.
*/
void tare_disturbed_fit(tare_disturbed *w);

/*
** Standard errors by term, from the sum of squares of the likelihood's
** derivatives (Meilijson 1989), through their QR factors; NaN where those are
** dependent. 'matrix' has rows x (terms + TARE_NUISANCE) values.
*/
void tare_disturbed_errors(tare_disturbed *w, double *matrix, double *sd);

#endif
