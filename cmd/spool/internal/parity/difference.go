package parity

import "math"

// difference is the histogram of absolute differences between samples of images: 0, 1, 2 ... 255.
type difference struct{ counts [256]int64 }

// add compares images of the same size.
func (d *difference) add(a, b []byte) {
	// Four tables, so that equal differences, which often follow each other, do not wait for one another.
	var counts [4][256]int32
	const block = 1 << 30 // below what a count can hold
	for len(a) > 0 {
		n := min(len(a), block)
		for i, x := range a[:n] {
			y := b[i]
			counts[i%4][max(x, y)-min(x, y)]++
		}
		for i := range d.counts {
			for j := range counts {
				d.counts[i] += int64(counts[j][i])
				counts[j][i] = 0
			}
		}
		a, b = a[n:], b[n:]
	}
}

// merge adds the counts of another difference.
func (d *difference) merge(o *difference) {
	for i, n := range o.counts {
		d.counts[i] += n
	}
}

// samples returns the number of samples compared.
func (d *difference) samples() (n int64) {
	for _, count := range d.counts {
		n += count
	}
	return n
}

// equal reports whether no sample differs.
func (d *difference) equal() bool { return d.counts[0] == d.samples() }

// mean returns the mean absolute difference.
func (d *difference) mean() float64 {
	sum := 0.0
	for i, n := range d.counts {
		sum += float64(i) * float64(n)
	}
	return sum / float64(max(d.samples(), 1))
}

// largest returns the largest difference.
func (d *difference) largest() (most int) {
	for i, n := range d.counts {
		if n > 0 {
			most = i
		}
	}
	return most
}

// percentile returns the smallest difference that the fraction p of the samples does not exceed.
func (d *difference) percentile(p float64) int {
	left := int64(math.Ceil(p * float64(d.samples())))
	for i, n := range d.counts {
		if left -= n; left <= 0 {
			return i
		}
	}
	return 0
}

// psnr returns the peak signal-to-noise ratio in dB, for a peak of 255: +Inf if all samples are equal.
func (d *difference) psnr() float64 {
	sum := 0.0
	for i, n := range d.counts {
		sum += float64(i*i) * float64(n)
	}
	if sum == 0 {
		return math.Inf(1)
	}
	return 10 * math.Log10(255*255*float64(d.samples())/sum)
}
