/*
** Durations counted in fixed bins whose edges are equal steps of a logarithm:
** 32 a decade (7 % wide) from 10 ns to 10 s. Never grows, never forgets.
*/
#ifndef TARE_HISTOGRAM_H
#define TARE_HISTOGRAM_H

#define TARE_HISTOGRAM_PER_DECADE 32
#define TARE_HISTOGRAM_LEAST_NS 10.0
#define TARE_HISTOGRAM_BINS (9 * TARE_HISTOGRAM_PER_DECADE)

typedef struct tare_histogram {
  double counts[TARE_HISTOGRAM_BINS]; /* the outer ones hold what is beyond */
  double total;                       /* durations counted */
  double max_ns;                      /* the longest, exactly; 0 if none */
} tare_histogram;

void tare_histogram_init(tare_histogram *h);

/* Requires ns >= 0. */
void tare_histogram_add(tare_histogram *h, double ns);

/* Lower edge of a bin, in nanoseconds; of bin BINS: upper edge of the last. */
double tare_histogram_edge_ns(int bin);

/* The bin whose lower edge is nearest to 'ns'. Requires ns > 0. */
double tare_histogram_bin_at(double ns);

/*
** Adds so many durations that another histogram has counted in a bin, and the
** longest of all that it has. Requires 0 <= bin < BINS.
*/
void tare_histogram_add_count(tare_histogram *h, int bin, double count,
                              double max_ns);

/*
** The duration below which a fraction 'q' of those counted lies, to the width
** of a bin (interpolated on the logarithm), never above the longest; NaN when
** none is counted. Requires 0 <= q <= 1.
*/
double tare_histogram_quantile_ns(const tare_histogram *h, double q);

#endif
