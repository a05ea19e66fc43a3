package order_test

import "math"

// chiSquare returns how many standard deviations the counts are from those of equal probabilities. It is Pearson's
// statistic, converted to a normal distribution by the cube root of Wilson and Hilferty (PNAS 1931). With few degrees
// of freedom, the statistic itself is far from normal.
func chiSquare(counts []int, freedom int) float64 {
	total := 0
	for _, c := range counts {
		total += c
	}
	expected := float64(total) / float64(len(counts))
	var chi float64
	for _, c := range counts {
		d := float64(c) - expected
		chi += d * d / expected
	}
	spread := 2 / (9 * float64(freedom))
	return (math.Cbrt(chi/float64(freedom)) - (1 - spread)) / math.Sqrt(spread)
}
