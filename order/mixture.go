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

// Part is one of the data sets of a Mix.
type Part struct {
	// Weight is how often its samples come, relative to the other parts; 0 leaves the part out.
	Weight float64
	// First is what is added to its ids, where its samples stand in a common source.
	First int
	// Samples is the sampler of a pass over the part: when its samples have all come, the next pass begins. All passes
	// have the same length.
	Samples func(pass uint64) Sampler
}

// Mix is data sets that are mixed by weight: the table of a Mixture, made once and good for all epochs. Its
// functions, as those of its Mixtures, are safe for concurrent use where Part.Samples is.
type Mix struct {
	parts  []mixed
	period []turn // which part's turn it is, and how often it was before in this period
}

type turn struct {
	part   uint16
	before uint32
}

// mixed is a part with its last pass, so that it is not made anew for each sample.
type mixed struct {
	Part
	share int // of a period
	n     int // samples a pass
	last  *atomic.Pointer[pass]
}

type pass struct {
	number  uint64
	samples Sampler
}

// maxPeriod bounds the table, at 8 bytes an entry.
const maxPeriod = 1 << 20

// NewMix makes the mix of up to 65536 parts. What is wrong with the weights is an error: a negative one, one
// that is not finite, none above 0; so is a part without samples whose weight is above 0.
//
// The weights are taken as they are written in decimals: 0.7 is seven tenths. Where the smallest whole numbers in
// the same proportion have a sum beyond 2^20, they are rounded to 2^-20 of the sum, up where that would be 0.
// Shares gives what they became.
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

// Shares is how many of each Period samples come from each part.
func (m *Mix) Shares() []int {
	shares := make([]int, len(m.parts))
	for k := range m.parts {
		shares[k] = m.parts[k].share
	}
	return shares
}

// Period is after how many samples the parts' turns repeat: the sum of Shares.
func (m *Mix) Period() int { return len(m.period) }

// Sampler mixes so many samples; 0 is as many as the parts hold together. An epoch goes on in each part where the
// one before ended. It panics when draws is negative.
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

// Mixture is samples of several data sets by exact weights: at any position i, counted from the first epoch on, the
// number that came from a part is i times its share, rounded down or up. The turns are a schedule of unit jobs by
// earliest deadline, which are the latest and earliest positions that this allows; for why there always is
// one see Baruah, Cohen, Plaxton and Varvel, Proportionate Progress, Algorithmica 15, 1996.
//
// Turns are regular. Ranks that share an epoch sample by sample may each see but some of the parts; ranks that share
// it batch by batch (Split.Run) all see the mixture.
type Mixture struct {
	mix   *Mix
	draws int
	start uint64
}

// Len is the number of samples.
func (x *Mixture) Len() int { return x.draws }

// At is the id at position i. It takes some 10 ns, and what the part's sampler takes.
func (x *Mixture) At(i int) int {
	p, number, k := x.at(i)
	return p.First + p.pass(number).At(k)
}

// Part is the part that position i comes from.
func (x *Mixture) Part(i int) int {
	checkIndex(i, x.draws)
	return int(x.mix.period[(x.start+uint64(i))%uint64(len(x.mix.period))].part)
}

// at is the part, its pass and the place in it of position i.
func (x *Mixture) at(i int) (p *mixed, number uint64, k int) {
	checkIndex(i, x.draws)
	at, period := x.start+uint64(i), uint64(len(x.mix.period))
	t := x.mix.period[at%period]
	p = &x.mix.parts[t.part]
	before := at/period*uint64(p.share) + uint64(t.before)
	return p, before / uint64(p.n), int(before % uint64(p.n))
}

// pass is the sampler of a pass. Another than the last is made.
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

// wholeShares is the weights in whole numbers.
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

// rounded is shares of maxPeriod next to the weights, whose sum is 1: those whose rest is largest are rounded up.
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
	for i := 0; left < 0; i = (i + 1) % len(shares) { // many were rounded up from nothing: the others make room
		if shares[i] > 1 {
			shares[i]--
			left++
		}
	}
	return shares
}

// schedule is the turns of a period: job j of a part with the given share is due at positions from
// floor(j*period/share) to before ceil((j+1)*period/share), and of those that are due, the one whose time ends first
// has its turn.
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

// job is the next turn of a part. While it waits, time is when it may come; then, when its time ends.
type job struct{ part, number, time, end int }

// jobs is a heap of them, the earliest time first, and then the first part.
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
