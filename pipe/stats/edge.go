package stats

// edge is the queue between two simulated stages.
type edge struct {
	from, to *simulated
	limit    int64
	reserved int64 // places for results in work or held back
	holes    bool  // the next stage sees items without a result
	filled   float64
	out      int64 // results passed on

	waiting []bool // results that wait for the next stage; false is a hole
	head    int    // of waiting: the first that was not taken
	results int64  // of waiting
}

func (e *edge) crowded() bool { return e.reserved+int64(len(e.waiting)-e.head) >= e.limit }
func (e *edge) empty() bool   { return e.head == len(e.waiting) }

// pass passes on results in a reserved place. Without one, it leaves a hole if there are holes.
func (e *edge) pass(results int64) {
	e.reserved--
	e.add(results)
}

func (e *edge) add(results int64) {
	for range results {
		e.waiting = append(e.waiting, true)
	}
	e.results += results
	e.out += results
	if results == 0 && e.holes {
		e.waiting = append(e.waiting, false)
	}
}

// take returns what is next, and whether it is a result.
func (e *edge) take() (result bool) {
	const most = 1024 // taken places before the slice begins anew
	result = e.waiting[e.head]
	if e.head++; e.head == len(e.waiting) || e.head > most {
		e.waiting = append(e.waiting[:0], e.waiting[e.head:]...)
		e.head = 0
	}
	if result {
		e.results--
	}
	return result
}

// over reports whether nothing is left, and nothing will come.
func (e *edge) over() bool { return e.empty() && e.from.over() }

// over reports whether the stage has passed on everything.
func (s *simulated) over() bool {
	if s.left > 0 || s.busy > 0 || len(s.done) > 0 {
		return false
	}
	for _, e := range s.ins {
		if !e.over() {
			return false
		}
	}
	return true
}

// connect makes the queues between the stages, each in its place among the inputs of the next.
func (s *simulation) connect() {
	for i, t := range s.stages {
		next := t.Next
		if next == nil && i+1 < len(s.stages) {
			next = []int{i + 1}
		}
		for _, n := range next {
			if n > i && n < len(s.stages) {
				e := &edge{from: t, to: s.stages[n], limit: int64(t.Workers + max(t.Queue, 0))}
				t.outs, e.to.ins = append(t.outs, e), append(e.to.ins, e)
			}
		}
	}
	for _, t := range s.stages {
		t.sort(s.stages)
		if t.Kind == Join && t.Router >= 0 && t.Router < len(s.stages) && s.stages[t.Router].Kind == Route {
			t.router = s.stages[t.Router]
			t.router.join = t
			t.router.showHoles(t)
		}
	}
}

// sort brings the inputs of a stage into the order of From.
func (s *simulated) sort(stages []*simulated) {
	for k, from := range s.From {
		for i := k; i < len(s.ins); i++ {
			if from >= 0 && from < len(stages) && s.ins[i].from == stages[from] {
				e := s.ins[i]
				copy(s.ins[k+1:i+1], s.ins[k:i])
				s.ins[k] = e
				break
			}
		}
	}
}

// showHoles makes all paths from a stage to a join keep the places of items without a result.
func (s *simulated) showHoles(join *simulated) {
	for _, e := range s.outs {
		if !e.holes {
			e.holes = true
			if e.to != join {
				e.to.showHoles(join)
			}
		}
	}
}
