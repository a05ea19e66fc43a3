package order

import (
	"container/heap"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"sync/atomic"
)

// Part is one data set of a Mix.
type Part struct {
	// Weight is how often the part's samples come, relative to the other parts. 0 omits the part.
	Weight float64
	// First is added to the part's ids, which gives its position in a common source.
	First int
	// Samples returns the sampler of a pass over the part. After the last sample of a pass, the next pass begins. All
	// passes must have the same length.
	Samples func(pass uint64) Sampler
}

// Mix is several data sets that are mixed by weight. It is the table of Mixture samplers, built once for all epochs. It
// takes 8 bytes per sample of a Period, at most 8 MiB. The methods of Mix and Mixture are safe for concurrent use if
// Part.Samples is.
type Mix struct {
	parts  []mixed
	period []turn // the part of each position, and how often it came before in this period
}

type turn struct {
	part   uint16
	before uint32
}

// mixed is a part with the sampler of its last pass, which is cached because creating it may be slow.
type mixed struct {
	Part
	share int // samples per period
	n     int // samples per pass
	last  *atomic.Pointer[pass]
}

type pass struct {
	number  uint64
	samples Sampler
}

// maxPeriod limits the table, which has 8 bytes per entry.
const maxPeriod = 1 << 20

// NewMix returns the mix of up to 65536 parts. It is an error if a weight is negative or not finite, if no weight is
// above 0, or if a part with a weight above 0 has no samples.
//
// The weights mean their decimal representation: 0.7 is exactly seven tenths. If the smallest integers in the same
// proportions have a sum above 2^20, the weights are rounded to multiples of 2^-20 of the sum, and up if the result
// would be 0. Counts returns the result.
func NewMix(parts []Part) (*Mix, error) {
	if len(parts) > math.MaxUint16+1 {
		return nil, fmt.Errorf("order: a mixture of %d parts, the most are %d", len(parts), math.MaxUint16+1)
	}
	shares, err := wholeShares(parts)
	if err != nil {
		return nil, err
	}
	m := &Mix{parts: make([]mixed, len(parts))}
	for k, p := range parts {
		m.parts[k] = mixed{Part: p, share: shares[k], last: new(atomic.Pointer[pass])}
		if shares[k] == 0 {
			continue
		}
		first := &pass{samples: p.Samples(0)}
		m.parts[k].last.Store(first)
		if m.parts[k].n = first.samples.Len(); m.parts[k].n == 0 {
			return nil, fmt.Errorf("order: part %d of the mixture has no samples", k)
		}
	}
	m.period = schedule(shares)
	return m, nil
}

// Counts returns how many of each Period samples come from each part.
func (m *Mix) Counts() []int {
	shares := make([]int, len(m.parts))
	for k := range m.parts {
		shares[k] = m.parts[k].share
	}
	return shares
}

// Period returns after how many samples the sequence of parts repeats: the sum of Counts.
func (m *Mix) Period() int { return len(m.period) }

// Sampler returns a sampler of draws samples. If draws is 0, it has as many samples as all parts together. Each epoch
// continues each part where the previous epoch ended. It panics if draws is negative.
func (m *Mix) Sampler(draws int, epoch uint64) *Mixture {
	if draws < 0 {
		panic(fmt.Sprintf("order: %d draws", draws))
	}
	if draws == 0 {
		for k := range m.parts {
			draws += m.parts[k].n
		}
	}
	return &Mixture{mix: m, draws: draws, start: epoch * uint64(draws)}
}

// Mixture draws samples of several data sets by exact weights. At any position i, counted from the first epoch, the
// number of samples from a part is i times its share, rounded down or up. These bounds give each sample of a part an
// earliest and a latest position. The sequence schedules them as unit jobs by earliest deadline. A valid schedule
// always exists: see Baruah, Cohen, Plaxton and Varvel, Proportionate Progress, Algorithmica 15, 1996.
//
// The sequence is regular. Ranks that share an epoch sample by sample may each see only some of the parts. Ranks that
// share it batch by batch (Split.Run) all see the mixture.
type Mixture struct {
	mix   *Mix
	draws int
	start uint64
}

// Len returns the number of samples.
func (x *Mixture) Len() int { return x.draws }

// At returns the id at position i. It takes some 10 ns, plus the time of the part's sampler.
func (x *Mixture) At(i int) int {
	p, number, k := x.at(i)
	return p.First + p.pass(number).At(k)
}

// Part returns the index of the part that position i comes from.
func (x *Mixture) Part(i int) int {
	checkIndex(i, x.draws)
	return int(x.mix.period[(x.start+uint64(i))%uint64(len(x.mix.period))].part)
}

// at returns the part of position i, its pass, and the position in the pass.
func (x *Mixture) at(i int) (p *mixed, number uint64, k int) {
	checkIndex(i, x.draws)
	at, period := x.start+uint64(i), uint64(len(x.mix.period))
	t := x.mix.period[at%period]
	p = &x.mix.parts[t.part]
	before := at/period*uint64(p.share) + uint64(t.before)
	return p, before / uint64(p.n), int(before % uint64(p.n))
}

// pass returns the sampler of a pass. It is created unless it is the last one used.
func (p *mixed) pass(number uint64) Sampler {
	if last := p.last.Load(); last.number == number {
		return last.samples
	}
	next := &pass{number, p.Samples(number)}
	if n := next.samples.Len(); n != p.n {
		panic(fmt.Sprintf("order: pass %d of a part of a mixture has %d samples, the first has %d", number, n, p.n))
	}
	p.last.Store(next)
	return next.samples
}

// wholeShares converts the weights to integers.
func wholeShares(parts []Part) ([]int, error) {
	weights, sum := make([]*big.Rat, len(parts)), new(big.Rat)
	for k, p := range parts {
		if !(p.Weight >= 0) || math.IsInf(p.Weight, 1) {
			return nil, fmt.Errorf("order: the weight of part %d is %v", k, p.Weight)
		}
		weights[k], _ = new(big.Rat).SetString(strconv.FormatFloat(p.Weight, 'g', -1, 64))
		sum.Add(sum, weights[k])
	}
	if sum.Sign() == 0 {
		return nil, fmt.Errorf("order: none of %d weights is above 0", len(parts))
	}
	for _, w := range weights {
		w.Quo(w, sum)
	}
	common := big.NewInt(1) // denominator of all shares
	for _, w := range weights {
		d := w.Denom()
		common.Mul(common, new(big.Int).Quo(d, new(big.Int).GCD(nil, nil, common, d)))
		if common.Cmp(big.NewInt(maxPeriod)) > 0 {
			return rounded(weights), nil
		}
	}
	shares := make([]int, len(parts))
	for k, w := range weights {
		shares[k] = int(new(big.Int).Quo(new(big.Int).Mul(common, w.Num()), w.Denom()).Int64())
	}
	return shares, nil
}

// rounded returns shares with the sum maxPeriod for weights with the sum 1. Those with the largest remainders are
// rounded up.
func rounded(weights []*big.Rat) []int {
	shares, left := make([]int, len(weights)), maxPeriod
	rests := make([]*big.Rat, len(weights))
	byRest := make([]int, len(weights))
	for k, w := range weights {
		scaled := new(big.Rat).Mul(w, big.NewRat(maxPeriod, 1))
		whole := new(big.Int).Quo(scaled.Num(), scaled.Denom())
		rests[k] = scaled.Sub(scaled, new(big.Rat).SetInt(whole))
		shares[k], byRest[k] = int(whole.Int64()), k
		if shares[k] == 0 && w.Sign() > 0 {
			shares[k], rests[k] = 1, new(big.Rat)
		}
		left -= shares[k]
	}
	slices.SortStableFunc(byRest, func(a, b int) int { return rests[b].Cmp(rests[a]) })
	for i := 0; left > 0; i++ {
		shares[byRest[i]]++
		left--
	}
	for i := 0; left < 0; i = (i + 1) % len(shares) { // many were rounded up from 0: reduce the others
		if shares[i] > 1 {
			shares[i]--
			left++
		}
	}
	return shares
}

// schedule returns the turns of a period. Job j of a part may come at positions from floor(j*period/share) to before
// ceil((j+1)*period/share). Each position gets the job with the earliest deadline among those that may come there.
func schedule(shares []int) []turn {
	period := 0
	for _, s := range shares {
		period += s
	}
	var waiting, due jobs
	add := func(now, part, number int) {
		if number == shares[part] {
			return
		}
		j := job{part: part, number: number, end: ((number+1)*period + shares[part] - 1) / shares[part]}
		if j.time = number * period / shares[part]; j.time > now {
			heap.Push(&waiting, j)
			return
		}
		j.time = j.end
		heap.Push(&due, j)
	}
	for part := range shares {
		add(0, part, 0)
	}
	turns := make([]turn, period)
	for now := range turns {
		for len(waiting) > 0 && waiting[0].time <= now {
			j := heap.Pop(&waiting).(job)
			j.time = j.end
			heap.Push(&due, j)
		}
		j := heap.Pop(&due).(job)
		turns[now] = turn{part: uint16(j.part), before: uint32(j.number)}
		add(now+1, j.part, j.number+1)
	}
	return turns
}

// job is the next turn of a part. While the job waits, time is when it may come; after that, time is its deadline.
type job struct{ part, number, time, end int }

// jobs is a heap of jobs by time, then by part.
type jobs []job

func (q jobs) Len() int { return len(q) }
func (q jobs) Less(i, j int) bool {
	return q[i].time < q[j].time || q[i].time == q[j].time && q[i].part < q[j].part
}
func (q jobs) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *jobs) Push(x any)   { *q = append(*q, x.(job)) }
func (q *jobs) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
