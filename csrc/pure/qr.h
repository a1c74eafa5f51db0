/*
** Least squares by Householder reflections (Golub 1965; Golub and Van Loan,
** "Matrix Computations", 4th ed., 5.2-5.3). Matrices are column-major.
*/
#ifndef TARE_QR_H
#define TARE_QR_H

#include <stddef.h>

#define TARE_QR_MAX 36 /* columns: those of a design, and 3 of its noise */

typedef struct tare_qr {
  double *a; /* rows x terms: R above the diagonal, reflectors from it down */
  double diagonal[TARE_QR_MAX]; /* that of R */
  size_t rows;
  int terms;
} tare_qr;

double tare_sum_of_squares(const double *xs, size_t n);

/*
** Factors the matrix qr->a in place. Returns the first column
** of which less than 'tolerance' of its length is left once the columns before
** it are taken out, or -1 when all are independent. Requires rows >= terms.
*/
int tare_qr_factor(tare_qr *qr, double tolerance);

/* Element (i, j) of R, for i <= j. */
double tare_qr_r(const tare_qr *qr, int i, int j);

/* y := Q'y and y := Q y, for a y of 'rows' values. */
void tare_qr_project(const tare_qr *qr, double *y);
void tare_qr_unproject(const tare_qr *qr, double *y);

/* x := R^-1 x and x := R^-T x, for an x of 'terms' values. */
void tare_qr_solve(const tare_qr *qr, double *x);
void tare_qr_solve_transposed(const tare_qr *qr, double *x);

/* Writes R^-1 row-major into inverse[terms * terms], zeros below. */
void tare_qr_inverse(const tare_qr *qr, double *inverse);

/* The diagonal of (a'a)^-1 = R^-1 R^-T. */
void tare_qr_inverse_gram(const tare_qr *qr, double *diagonal);

#endif
