/* Iterative refinement of a least-squares solution. */
#ifndef TARE_REFINE_H
#define TARE_REFINE_H

#include "pure/qr.h"

/*
** Solves y ~ x beta given the factors of x, and refines both beta and the
** residuals as the solution of one augmented system (Bjorck 1967, "Iterative
** refinement of linear least squares solutions I"), until a step no longer
** helps. 'x' is the matrix before it was factored; 'work' has 'rows' values.
*/
void tare_refine(const tare_qr *qr, const double *x, const double *y,
                 double *beta, double *residual, double *work);

#endif
