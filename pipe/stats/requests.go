package stats

// Requests is the limit of the requests in flight that a client of a store tunes. It doubles with each round of as many
// answers, as long as it is used up and more requests bring more answers. The zero value is no limit.
type Requests struct {
	First int `json:"first"` // the limit at first
	Max   int `json:"max"`   // the highest
	// Opens is how many files are opened at a time at first. Each one that was opened allows one more. 0 is no limit.
	Opens int `json:"opens,omitempty"`
}

// RequestKind says whether the items of a stage are requests to a store.
type RequestKind uint8

// The kinds. Rounds count reads only.
const (
	NoRequest RequestKind = iota
	OpenRequest
	ReadRequest
)

// requests is the limit in a simulation. Requests that have no turn yet wait in order.
type requests struct {
	Requests
	limit, inFlight int
	waiting         []event

	// The current round.
	begun   float64
	answers int
	idle    bool // the limit was not used up

	best  float64 // answers in a nanosecond, of the best round
	tuned bool    // more requests bring no more answers
}

const (
	growth        = 1.05  // of the answers, which a higher limit has to bring
	shortestRound = 100e6 // ns
)

// enter reports whether a request may begin. If not, it waits.
func (r *requests) enter(e event) bool {
	if r.First > 0 && r.inFlight >= r.limit {
		r.waiting = append(r.waiting, e)
		return false
	}
	r.inFlight++
	return true
}

// leave ends a request, and returns those that may begin.
func (r *requests) leave(kind RequestKind, now float64) (next []event) {
	r.inFlight--
	if kind == ReadRequest {
		if r.answers++; r.answers >= r.limit && now-r.begun >= shortestRound {
			r.round(now)
		}
	}
	n := min(max(r.limit-r.inFlight, 0), len(r.waiting))
	next, r.waiting = r.waiting[:n], r.waiting[n:]
	r.inFlight += n
	r.idle = r.idle || r.inFlight < r.limit
	return next
}

// round evaluates the last answers.
func (r *requests) round(now float64) {
	rate, idle := float64(r.answers)/(now-r.begun), r.idle
	r.begun, r.answers, r.idle = now, 0, false
	switch {
	case idle || r.tuned:
	case rate > growth*r.best:
		r.best, r.limit = rate, min(2*r.limit, r.Max)
	default:
		r.limit, r.tuned = max(r.limit/2, r.First), true
	}
}
