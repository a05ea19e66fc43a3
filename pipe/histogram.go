package pipe

import (
	"math"
	"math/bits"
	"time"
)

// histogram counts durations in log-linear buckets: every power of two is cut into 16 equal ones, as
// in HdrHistogram. A quantile is the middle of its bucket, so it is off by at most 1/32 (3.2 %); below
// 32 ns it is exact, and above 73 minutes it is cut off there. Histograms add up bucket by bucket.
type histogram struct {
	counts [buckets]int64
	count  int64
	sum    time.Duration
}

const (
	cuts    = 16 // buckets in a power of two
	octaves = 37 // powers of two above the exact range
	buckets = (octaves + 2) * cuts
)

func (h *histogram) add(d time.Duration) {
	h.counts[bucketOf(d)]++
	h.count++
	h.sum += d
}

func (h *histogram) merge(o *histogram) {
	for i, n := range o.counts {
		h.counts[i] += n
	}
	h.count += o.count
	h.sum += o.sum
}

func (h *histogram) mean() time.Duration {
	if h.count == 0 {
		return 0
	}
	return h.sum / time.Duration(h.count)
}

// quantile is the smallest duration that at least the share q of all do not exceed; 0 when there are none.
func (h *histogram) quantile(q float64) time.Duration {
	rank := max(int64(math.Ceil(q*float64(h.count))), 1)
	for i, n := range h.counts {
		if rank -= n; rank <= 0 {
			return middleOf(i)
		}
	}
	return 0
}

// bucketOf finds the octave by the number of leading bits and the bucket by the next four.
func bucketOf(d time.Duration) int {
	v := uint64(max(d, 0))
	octave := max(bits.Len64(v)-5, 0)
	return min(octave*cuts+int(v>>octave), buckets-1)
}

func middleOf(bucket int) time.Duration {
	octave := max(bucket/cuts-1, 0)
	low := (bucket - octave*cuts) << octave
	return time.Duration(low + 1<<octave/2)
}
