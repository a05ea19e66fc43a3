package stats

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// simulation is an event-based run of a Model. Nanoseconds are floats, because fractions of them add up.
//
// Workers that need a core share the cores evenly (processor sharing): n of them on c cores each run at the speed
// min(1, c/n). So there are two clocks: that of the machine, and the progress of a worker that has always needed a
// core. Work that needs a core ends at a fixed value of the latter, whatever happens meanwhile.
type simulation struct {
	cores    float64
	now      float64
	first    float64 // when the last stage began its first item
	progress float64
	atCore   events // by progress
	waiting  events // by now
	stages   []*simulated
	requests requests
}

// event is the end of a part of an item's work.
type event struct {
	at    float64
	stage int
	item  int64   // its number at the stage
	input int     // of the stage, from which it came
	begun float64 // by now
	wait  float64 // before it needs a core
	core  float64 // core time that it needs afterwards
}

func newSimulation(m Model, items int) *simulation {
	s := &simulation{cores: max(m.Cores, 1), requests: requests{Requests: m.Requests, limit: m.Requests.First}}
	for i, stage := range m.Stages {
		stage.Workers = max(stage.Workers, 1)
		s.stages = append(s.stages, &simulated{ModelStage: stage, turn: -1, random: rand.New(rand.NewPCG(uint64(i), 0))})
	}
	s.connect()
	for _, t := range s.stages {
		t.prepare()
	}
	s.provide(float64(items))
	return s
}

// provide divides items among the sources.
func (s *simulation) provide(items float64) {
	sum := 0.0
	share := func(t *simulated) float64 {
		if len(t.ins) > 0 {
			return 0
		}
		if len(t.Shares) == 0 {
			return 1
		}
		return t.Shares[0]
	}
	for _, t := range s.stages {
		sum += share(t)
	}
	given, before := int64(0), 0.0
	for _, t := range s.stages {
		before += share(t)
		t.left = int64(math.Round(items*before/max(sum, 1e-9))) - given
		given += t.left
	}
}

// run processes events until no worker is at work.
func (s *simulation) run() Report {
	s.assign()
	for len(s.atCore)+len(s.waiting) > 0 {
		speed := min(1, s.cores/float64(max(len(s.atCore), 1)))
		core, wait := math.Inf(1), math.Inf(1)
		if len(s.atCore) > 0 {
			core = max(s.atCore[0].at-s.progress, 0) / speed
		}
		if len(s.waiting) > 0 {
			wait = s.waiting[0].at - s.now
		}
		s.pass(min(core, wait), speed)
		if core <= wait {
			s.finish(heap.Pop(&s.atCore).(event))
		} else if e := heap.Pop(&s.waiting).(event); e.core > 0 {
			e.at, e.core = s.progress+e.core, 0
			heap.Push(&s.atCore, e)
			continue
		} else {
			s.finish(e)
		}
		s.assign()
	}
	return s.report()
}

// pass advances the time.
func (s *simulation) pass(d, speed float64) {
	s.now += d
	s.progress += d * speed
	for _, t := range s.stages {
		busy := t.busy
		if t.full != nil {
			busy--
		}
		t.work += time.Duration(d * float64(busy))
		wait := time.Duration(d * float64(int64(t.Workers)-busy))
		if t.waitsForRoom() {
			t.waitOut += wait
		} else {
			t.waitIn += wait
		}
		for _, e := range t.outs {
			e.filled += d * float64(e.results)
		}
	}
}

// assign gives work to all workers that can have some. Later stages come first, because they make room.
func (s *simulation) assign() {
	for again := true; again; {
		again = false
		for i, t := range slices.Backward(s.stages) {
			again = t.unblock() || again
			for t.busy < s.workers(t) && !t.crowded() {
				input, ok := t.take()
				if !ok {
					break
				}
				s.begin(i, input)
				again = true
			}
		}
	}
}

// workers returns how many workers of a stage may be at work.
func (s *simulation) workers(t *simulated) int64 {
	if opens := int64(s.requests.Opens); t.Request == OpenRequest && opens > 0 {
		return min(int64(t.Workers), max(opens, t.items))
	}
	return int64(t.Workers)
}

// begin lets a worker begin an item, if it needs no request or has a turn for it.
func (s *simulation) begin(stage, input int) {
	t := s.stages[stage]
	service := t.draw()
	e := event{stage: stage, item: t.begun, input: input, core: t.CPU * service}
	e.wait = service - e.core + float64(t.Wait)
	if t.begun == 0 && stage+1 == len(s.stages) {
		s.first = s.now
	}
	t.busy++
	t.begun++
	switch {
	case t.Kind == Route:
	case t.taking != nil:
		t.taking[input] = true
		t.reserve()
	case t.AsCompleted:
		t.reserve()
	default:
		t.reserve()
		t.done = append(t.done, inWork)
	}
	if t.Request == NoRequest || s.requests.enter(e) {
		s.start(e)
	}
}

// start starts an item's work: first it waits, then it needs a core.
func (s *simulation) start(e event) {
	e.begun = s.now
	if e.wait > 0 {
		e.at = s.now + e.wait
		heap.Push(&s.waiting, e)
		return
	}
	e.at, e.core = s.progress+e.core, 0
	heap.Push(&s.atCore, e)
}

// finish ends an item's work.
func (s *simulation) finish(e event) {
	t := s.stages[e.stage]
	t.service.Add(time.Duration(s.now - e.begun))
	t.finish(e)
	if t.Request != NoRequest {
		for _, next := range s.requests.leave(t.Request, s.now) {
			s.start(next)
		}
	}
}

// report returns what a real run would have reported.
func (s *simulation) report() Report {
	r := Report{Elapsed: time.Duration(s.now), First: time.Duration(s.first), Cores: int(math.Round(s.cores))}
	for i, t := range s.stages {
		stage := StageReport{Name: t.Name, Workers: t.Workers, Items: t.items,
			WaitInS: t.waitIn.Seconds(), WaitOutS: t.waitOut.Seconds(), WorkS: t.work.Seconds(),
			StaffS: float64(t.Workers) * r.Elapsed.Seconds(),
			Setup: Setup{Single: t.Single, AsCompleted: t.AsCompleted, Queue: t.Queue, Next: []int{}, From: t.From, Kind: t.Kind,
				Router: t.Router, Weights: t.Weights}}
		stage.Describe(&t.service)
		if i > 0 {
			stage.In = t.begun
		}
		if t.loop {
			r.Consumer = stage
			break
		}
		for _, e := range t.outs {
			stage.Outs, stage.Out = append(stage.Outs, e.out), stage.Out+e.out
			stage.Setup.Next = append(stage.Setup.Next, slices.Index(s.stages, e.to))
			if s.now > 0 {
				stage.Queue += min(e.filled/s.now/float64(e.limit), 1) / float64(len(t.outs))
			}
		}
		r.Stages = append(r.Stages, stage)
	}
	return r
}

// events is a heap.
type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at < e[j].at }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	*e = (*e)[:last]
	return x
}
