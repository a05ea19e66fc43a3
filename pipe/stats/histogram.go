package stats

import (
	"encoding/json"
	"errors"
	"iter"
	"math"
	"math/bits"
	"time"
)

// Histogram counts durations in log-linear buckets: every power of two is divided into 16 equal buckets, as in
// HdrHistogram. A quantile is the middle of its bucket, so its error is at most 1/32 (3.2 %). Below 32 ns it is exact,
// and durations above 73 minutes count as 73 minutes. Histograms can be merged: those of workers into that of a stage,
// and those of several machines into one.
type Histogram struct {
	counts [buckets]int64
	count  int64
	sum    time.Duration
}

const (
	cuts    = 16 // buckets per power of two
	octaves = 37 // powers of two above the exact range
	buckets = (octaves + 2) * cuts
)

// Add counts a duration.
func (h *Histogram) Add(d time.Duration) {
	h.counts[bucketOf(d)]++
	h.count++
	h.sum += d
}

// Merge adds the counts of another histogram.
func (h *Histogram) Merge(o *Histogram) {
	for i, n := range o.counts {
		h.counts[i] += n
	}
	h.count += o.count
	h.sum += o.sum
}

// Sum returns the sum of the durations.
func (h *Histogram) Sum() time.Duration { return h.sum }

// Count returns the number of durations.
func (h *Histogram) Count() int64 { return h.count }

// Bucket is the number of durations of at least From and less than To.
type Bucket struct {
	From, To time.Duration
	Count    int64
}

// Buckets returns the non-empty buckets, shortest durations first.
func (h *Histogram) Buckets() iter.Seq[Bucket] {
	return func(yield func(Bucket) bool) {
		for i, n := range h.counts {
			if n > 0 && !yield(Bucket{lowOf(i), lowOf(i + 1), n}) {
				return
			}
		}
	}
}

// subtract removes the counts of an earlier state of the histogram.
func (h *Histogram) subtract(earlier *Histogram) {
	for i, n := range earlier.counts {
		h.counts[i] -= n
	}
	h.count -= earlier.count
	h.sum -= earlier.sum
}

// Mean returns the exact mean, or 0 without durations.
func (h *Histogram) Mean() time.Duration {
	if h.count == 0 {
		return 0
	}
	return h.sum / time.Duration(h.count)
}

// Quantile returns the smallest duration that at least the share q of all durations does not exceed, or 0 without
// durations.
func (h *Histogram) Quantile(q float64) time.Duration {
	rank := max(int64(math.Ceil(q*float64(h.count))), 1)
	for i, n := range h.counts {
		if rank -= n; rank <= 0 {
			return middleOf(i)
		}
	}
	return 0
}

// bucketOf computes the octave from the number of leading bits, and the bucket from the next four bits.
func bucketOf(d time.Duration) int {
	v := uint64(max(d, 0))
	octave := max(bits.Len64(v)-5, 0)
	return min(octave*cuts+int(v>>octave), buckets-1)
}

// lowOf returns the shortest duration of a bucket.
func lowOf(bucket int) time.Duration {
	octave := max(bucket/cuts-1, 0)
	return time.Duration(bucket-octave*cuts) << octave
}

func middleOf(bucket int) time.Duration { return (lowOf(bucket) + lowOf(bucket+1)) / 2 }

// histogramJSON is a histogram as JSON. Buckets has the numbers of the non-empty buckets, each with its count.
type histogramJSON struct {
	SumNS   time.Duration `json:"sum_ns"`
	Buckets [][2]int64    `json:"buckets"`
}

// MarshalJSON returns the sum of the durations and the counts of the non-empty buckets.
func (h *Histogram) MarshalJSON() ([]byte, error) {
	all := histogramJSON{SumNS: h.sum, Buckets: [][2]int64{}}
	for i, n := range h.counts {
		if n > 0 {
			all.Buckets = append(all.Buckets, [2]int64{int64(i), n})
		}
	}
	return json.Marshal(all)
}

// UnmarshalJSON reads what MarshalJSON returns.
func (h *Histogram) UnmarshalJSON(data []byte) error {
	var all histogramJSON
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	*h = Histogram{sum: all.SumNS}
	for _, b := range all.Buckets {
		if b[0] < 0 || b[0] >= buckets || b[1] < 1 || b[1] > math.MaxInt32 {
			return errors.New("no histogram: a bucket is out of range")
		}
		h.counts[b[0]] += b[1]
		h.count += b[1]
	}
	return nil
}
