// Package turns determines which flow of a merge is next.
package turns

import "slices"

// Turns determines which flow of a merge is next.
//
// With weights it is Tijdeman's solution of the chairman assignment problem (Discrete Mathematics 32, 1980). For k
// flows, the candidates are those whose share is ahead of their items by at least 1/(2k-2). The candidate with the
// earliest deadline is next. Then no flow is ever further from its share than 1 - 1/(2k-2) items.
type Turns struct {
	flows []turn
	last  int // index in flows, without weights
	given int
}

// turn is a flow that has not ended.
type turn struct {
	flow  int
	share float64 // of all items; 0 without weights
	given int
}

// New returns the turns of the flows that are live, by index. weights has one for each flow; nil means in turn.
func New(weights []float64, live []int) *Turns {
	t := &Turns{}
	for _, flow := range live {
		if weights == nil {
			t.flows = append(t.flows, turn{flow: flow})
		} else if weights[flow] > 0 {
			t.flows = append(t.flows, turn{flow: flow, share: weights[flow]})
		}
	}
	t.begin()
	return t
}

// begin converts weights to shares, and restarts the counts.
func (t *Turns) begin() {
	sum := 0.0
	for _, f := range t.flows {
		sum += f.share
	}
	for i := range t.flows {
		f := &t.flows[i]
		f.given = 0
		if sum > 0 {
			f.share /= sum
		}
	}
	t.given, t.last = 0, -1
}

// Any reports whether a flow is left.
func (t *Turns) Any() bool { return len(t.flows) > 0 }

// Next returns the flow of the next item.
func (t *Turns) Next() int {
	if t.flows[0].share == 0 {
		t.last = (t.last + 1) % len(t.flows)
		return t.flows[t.last].flow
	}
	if len(t.flows) == 1 {
		return t.flows[0].flow
	}
	t.given++
	slack := 1 / float64(2*len(t.flows)-2)
	best, soonest := -1, 0.0
	for i, f := range t.flows {
		ahead := float64(t.given)*f.share - float64(f.given)
		if ahead < slack {
			continue
		}
		if due := (1 - slack - ahead) / f.share; best < 0 || due < soonest {
			best, soonest = i, due
		}
	}
	if best < 0 { // only by rounding
		best = 0
	}
	t.flows[best].given++
	return t.flows[best].flow
}

// Leave removes a flow. The others share the rest.
func (t *Turns) Leave(flow int) {
	i := slices.IndexFunc(t.flows, func(f turn) bool { return f.flow == flow })
	t.flows = slices.Delete(t.flows, i, i+1)
	if len(t.flows) > 0 && t.flows[0].share > 0 {
		t.begin()
	} else if i <= t.last {
		t.last--
	}
}
