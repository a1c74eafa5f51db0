---@meta
-- `require "tare".stats`: the core's mathematics. A 'list' is a table of
-- numbers, at least one, none of them NaN or infinite unless said. 'columns' of
-- a regression are a list of lists, or a table of lists by name; coefficients
-- are returned in the same form.

---@class tare.stats
local stats = {}

---Arithmetic mean.
---Raises if the list is empty or has what is no finite number.
---@param list number[] in any unit
---@return number mean in the unit of the list
function stats.mean(list) end

---Sample variance (divided by n - 1); 0 for a single value.
---Raises if the list is empty or has what is no finite number.
---@param list number[] in any unit
---@return number variance in the unit of the list, squared
function stats.variance(list) end

---Standard deviation of a sample.
---Raises if the list is empty or has what is no finite number.
---@param list number[] in any unit
---@return number deviation in the unit of the list
function stats.stddev(list) end

---Median; infinite values may take part.
---Raises if the list is empty or has what is no number.
---@param list number[] in any unit
---@return number median in the unit of the list
function stats.median(list) end

---Median absolute deviation.
---Raises if the list is empty or has what is no finite number.
---@param list number[] in any unit
---@return number scaled times 1.4826, so that it estimates the standard
---deviation of normal data; in the unit of the list
---@return number raw not scaled, in the unit of the list
function stats.mad(list) end

---Quantile, interpolated (Hyndman and Fan's type 7); infinite values may take
---part.
---Raises if the list is empty, or unless p is in [0, 1].
---@param list number[] in any unit
---@param p number share below it, in [0, 1]
---@return number quantile in the unit of the list
function stats.quantile(list, p) end

---Mean without the greatest and the least values.
---Raises if the list is empty, or the share leaves nothing.
---@param list number[] in any unit
---@param share number? share removed at either end (0.1)
---@return number mean in the unit of the list
function stats.trimmed_mean(list, share) end

---Autocorrelation; 0 for constant data.
---Raises if the list is empty or the lag is not within it.
---@param list number[] in any unit
---@param lag integer? how many values apart (1)
---@return number correlation in [-1, 1]
function stats.autocorrelation(list, lag) end

---Counts of values 1.5 (mild) and 3 (severe) interquartile ranges or more
---outside the quartiles.
---Raises if the list is empty or has what is no finite number.
---@param list number[] in any unit
---@return table counts low_severe, low_mild, high_mild, high_severe, samples
function stats.outliers(list) end

---The share of the variance that outliers account for, and how bad that is:
---"unaffected" below 1 %, "slight" below 10 %, "moderate" below 50 %, else
---"severe". Also outlier_variance(list, n?), which takes mean and deviation of
---the list.
---Raises if mean or sd are beyond 1e150 or no number, if sd is below 0, and if
---n is not finite or below 1.
---@param mean number in any unit
---@param sd number in the unit of the mean
---@param n number how many values, also those that mean and sd leave out
---@return table found {fraction, effect}
function stats.outlier_variance(mean, sd, n) end

---Kernel density at 128 points, from a tenth of the range below the values to a
---tenth above them.
---Raises if the list is empty or has what is no finite number.
---@param list number[] in any unit
---@return table density {x, y, bandwidth}; x in the unit of the list
function stats.density(list) end

---Whether values have two modes: Hartigan's dip test, with Sarle's coefficient
---for comparison. Where bimodal, low and high are the means of the two parts
---and share is that of the lower one.
---Raises if the list is empty or has what is no finite number.
---@param list number[] in any unit
---@return table found {bimodal, p, dip, coefficient, low, high, share}
function stats.bimodality(list) end

---Median of positive ratios (in logarithms) with an interval that holds
---whatever their distribution. low and high are absent where there are too few.
---Raises if a ratio is not above 0.
---@param ratios number[] ratios, no unit
---@param confidence number? share in (0, 1); 0.95
---@return table found {value, low, high, confidence: of this interval}
function stats.sign_interval(ratios, confidence) end

---Least squares. What is undefined is absent: errors without degrees of
---freedom, r2 of a response that does not vary. r2 is about the mean with an
---intercept, and about zero without.
---Raises if columns are not lists of numbers, or differ in their length.
---@param y number[] in any unit
---@param columns table in any units
---@param options table? {intercept = true}
---@return table? fit coefficients, stderr, vif, intercept, intercept_stderr,
---r2, adjusted_r2, residual_sd, dof, rows; nil if it can't be fitted
---@return string? code too_few_rows, zero_column, collinear or not_finite
---@return string? message
function stats.ols(y, columns, options) end

---Intervals of a regression by resampling its rows.
---Raises if an option can't be read, or as ols().
---@param y number[] in any unit
---@param columns table in any units
---@param options table? intercept, resamples (10000), confidence (0.95), seed
---(1), method ("percentile", "expanded" or "bca"), block (length in rows),
---groups (the group of each row)
---@return table? fit what ols() gives, with {value, low, high} for each of
---coefficients, intercept, r2 and adjusted_r2
---@return string? code as ols(), or degenerate
---@return string? message
function stats.bootstrap(y, columns, options) end

---Interval of a statistic by resampling.
---Raises at an unknown statistic, or if an option can't be read.
---@param list number[] in any unit
---@param name string "mean", "stddev", "median" or "quantile"
---@param options table? as bootstrap(); p (of "quantile")
---@return table found {value, low, high, resamples, confidence, seed, method}
function stats.bootstrap_statistic(list, name, options) end

---The rows that the first resamples of the bootstraps take: to bootstrap a
---statistic of one's own.
---Raises if an option can't be read.
---@param rows integer how many rows there are
---@param options table? resamples (1), seed, block, groups
---@return integer[][] draws numbers of rows
function stats.draws(rows, options) end

---What the random generator gives, in hexadecimal.
---Raises unless the seed is in [0, 2^53], and n in [0, 1e7].
---@param n integer how many words (a count)
---@param seed integer|integer[] a seed, or a state of four words
---@return string[] words of 16 digits
function stats.random_words(n, seed) end

---Regression by Huber's estimator: outliers weigh less.
---Raises as ols().
---@param y number[] in any unit
---@param columns table in any units
---@param options table? {intercept = true, confidence = 0.95}
---@return table? fit coefficients and intercept (each {value, low, high}),
---noise_sd, confidence, rows
---@return string? code as ols()
---@return string? message
function stats.huber(y, columns, options) end

---Regression on one column by the median of slopes (Theil and Sen).
---Raises as ols().
---@param y number[] in any unit
---@param column number[]|table a list in any unit, or a table of just one
---@param options table? as huber()
---@return table? fit as huber()
---@return string? code as ols()
---@return string? message
function stats.theil_sen(y, column, options) end

---Regression for noise that is on the high side.
---Raises as ols().
---@param y number[] in any unit
---@param columns table in any units
---@param options table? as huber()
---@return table? fit as huber(), with noise_share (of the rows), noise_excess
---(mean of a disturbance, in y's unit), noise_power (0 to 1)
---@return string? code as ols()
---@return string? message
function stats.skew_fit(y, columns, options) end

---The line that has a share of the points below it (Koenker and Bassett 1978).
---Raises unless x is positive and as long as y.
---@param x number[] in any unit
---@param y number[] in any unit
---@param tau number? share below, in (0, 1); 0.5
---@param through_origin boolean? false
---@return number slope in the unit of y over that of x
---@return number intercept in the unit of y
function stats.quantile_line(x, y, tau, through_origin) end

---How a cost grows with a size: the best of "1", "log n", "n", "n log n", "n^2"
---and "n^3", as constant + factor * g(n), and those that can't be excluded.
---Raises unless the lists are positive and equally long.
---@param sizes number[] in any unit
---@param costs number[] in any unit
---@param confidence number? share in (0, 1); 0.95
---@return table found {law, also, aicc, coefficients, exponent = {value, low,
---high}}; law needs 5 points, exponent 3; else they are absent
function stats.growth(sizes, costs, confidence) end

---Difference of two means (Welch's t-test).
---Raises if a list has fewer than 2 values.
---@param a number[] in any unit
---@param b number[] in the unit of a
---@param confidence number? share in (0, 1); 0.95
---@return table found {difference, low, high, t, df, p}
function stats.welch(a, b, confidence) end

---Whether two means are equal within a margin: two one-sided tests.
---Raises if a list has fewer than 2 values, or the margin is not above 0.
---@param a number[] in any unit
---@param b number[]|number in the unit of a
---@param margin number|number[] one number or {low, high}, in the unit of a
---@param confidence number? share in (0, 1); 0.95
---@return table found {equivalent, p, difference, low, high}
function stats.tost(a, b, margin, confidence) end

---Whether values of one list tend to be above those of another. Takes infinite
---values and lists of one value, too.
---Raises if a list is empty or has what is no number.
---@param a number[] in any unit
---@param b number[] in the unit of a
---@return table found {u, superiority, p, exact}
function stats.mann_whitney(a, b) end

---Adjusts p-values of several tests (Holm 1979).
---Raises unless they are in [0, 1].
---@param ps number[] probabilities
---@return number[] adjusted probabilities, in the same order
function stats.holm(ps) end

---Distribution function of the normal distribution.
---Raises if z is no number.
---@param z number standard deviations from the mean
---@return number p share below z
function stats.normal_cdf(z) end

---Inverse of normal_cdf().
---Raises unless p is in (0, 1).
---@param p number share below z
---@return number z standard deviations from the mean
function stats.normal_quantile(p) end

---Distribution function of Student's t.
---Raises if the degrees of freedom are below 1.
---@param t number no unit
---@param df number degrees of freedom
---@return number p share below t
function stats.t_cdf(t, df) end

---Inverse of t_cdf().
---Raises unless p is in (0, 1) and df at least 1.
---@param p number share below t
---@param df number degrees of freedom
---@return number t no unit
function stats.t_quantile(p, df) end

return stats
