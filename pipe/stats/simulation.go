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
}

// event is the end of a part of an item's work.
type event struct {
	at    float64
	stage int
	item  int64   // its number at the stage
	begun float64 // by now
	core  float64 // core time that it needs afterwards
}

// simulated is a stage.
type simulated struct {
	ModelStage
	limit  int64 // results in work, held back or waiting
	random *rand.Rand
	times  []Bucket // of Service, with cumulative counts
	scale  float64

	// Items.
	left   int64 // that a source still provides
	busy   int64 // in work: one for each worker at work
	begun  int64
	passed int64 // whose results were passed on; if AsCompleted, all that are done
	items  int64 // done

	// Results. done has those of the items from number passed on, which wait for an earlier item; -1 is in work.
	done    []int64
	rest    float64 // fraction of a result left over
	results int64   // that wait for the next stage
	out     int64   // passed on

	work    time.Duration
	waitIn  time.Duration
	waitOut time.Duration
	service Histogram
	filled  float64 // waiting results, integrated over time
}

func newSimulation(m Model, items int) *simulation {
	s := &simulation{cores: max(m.Cores, 1)}
	for i, stage := range m.Stages {
		stage.Workers = max(stage.Workers, 1)
		t := &simulated{ModelStage: stage, limit: int64(stage.Workers + max(stage.Queue, 0)),
			random: rand.New(rand.NewPCG(uint64(i), 0))}
		if i+1 == len(m.Stages) {
			t.limit = math.MaxInt64
		}
		if i == 0 {
			t.left = int64(items)
		}
		t.prepare()
		s.stages = append(s.stages, t)
	}
	return s
}

// prepare sets up the drawing of service times. They are uniform within a bucket, and the mean is kept.
func (s *simulated) prepare() {
	sum, n := 0.0, int64(0)
	if s.Service != nil {
		for b := range s.Service.Buckets() {
			sum += float64(b.Count) * float64(b.From+b.To) / 2
			n += b.Count
			b.Count = n
			s.times = append(s.times, b)
		}
	}
	if sum > 0 {
		s.scale = float64(s.Service.sum) / sum
	}
	if s.stretched > 0 {
		s.scale /= s.stretched
	}
}

// draw returns a random service time.
func (s *simulated) draw() float64 {
	if len(s.times) == 0 {
		return 0
	}
	nth := s.random.Int64N(s.times[len(s.times)-1].Count)
	i, _ := slices.BinarySearchFunc(s.times, nth+1, func(b Bucket, n int64) int { return int(b.Count - n) })
	b := s.times[i]
	return s.scale * (float64(b.From) + s.random.Float64()*float64(b.To-b.From))
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
		t.work += time.Duration(d * float64(t.busy))
		wait := time.Duration(d * float64(int64(t.Workers)-t.busy))
		if t.crowded() {
			t.waitOut += wait
		} else {
			t.waitIn += wait
		}
		t.filled += d * float64(t.results)
	}
}

func (s *simulated) crowded() bool { return s.begun-s.passed+s.results >= s.limit }

// assign gives work to all workers that can have some. Later stages come first, because they make room.
func (s *simulation) assign() {
	for again := true; again; {
		again = false
		for i, t := range slices.Backward(s.stages) {
			for t.busy < int64(t.Workers) && !t.crowded() && s.give(i) {
				s.begin(i)
				again = true
			}
		}
	}
}

// give takes an item for a stage from its input.
func (s *simulation) give(stage int) bool {
	from := &s.stages[0].left
	if stage > 0 {
		from = &s.stages[stage-1].results
	}
	if *from == 0 {
		return false
	}
	*from--
	return true
}

// begin lets a worker begin an item: first it waits, then it needs a core.
func (s *simulation) begin(stage int) {
	t := s.stages[stage]
	service := t.draw()
	e := event{stage: stage, item: t.begun, begun: s.now, core: t.CPU * service}
	if t.begun == 0 && stage+1 == len(s.stages) {
		s.first = s.now
	}
	t.busy++
	t.begun++
	if !t.AsCompleted {
		t.done = append(t.done, -1)
	}
	if wait := service - e.core + float64(t.Wait); wait > 0 {
		e.at = s.now + wait
		heap.Push(&s.waiting, e)
		return
	}
	e.at, e.core = s.progress+e.core, 0
	heap.Push(&s.atCore, e)
}

// finish ends an item's work, and passes on its results when it is their turn.
func (s *simulation) finish(e event) {
	t := s.stages[e.stage]
	t.busy--
	t.items++
	t.service.Add(time.Duration(s.now - e.begun))
	t.rest += t.Results
	whole := math.Floor(t.rest + 1e-9)
	t.rest -= whole
	if t.AsCompleted {
		t.hand(int64(whole))
		return
	}
	t.done[e.item-t.passed] = int64(whole)
	n := 0
	for ; n < len(t.done) && t.done[n] >= 0; n++ {
		t.hand(t.done[n])
	}
	t.done = slices.Delete(t.done, 0, n)
}

func (s *simulated) hand(results int64) {
	s.passed++
	s.results += results
	s.out += results
}

// report returns what a real run would have reported.
func (s *simulation) report() Report {
	r := Report{Elapsed: time.Duration(s.now), First: time.Duration(s.first), Cores: int(math.Round(s.cores))}
	for i, t := range s.stages {
		stage := StageReport{Name: t.Name, Workers: t.Workers, Items: t.items, Out: t.out,
			WaitInS: t.waitIn.Seconds(), WaitOutS: t.waitOut.Seconds(), WorkS: t.work.Seconds(),
			StaffS: float64(t.Workers) * r.Elapsed.Seconds(),
			Setup:  Setup{Single: t.Single, AsCompleted: t.AsCompleted, Queue: t.Queue}}
		stage.Describe(&t.service)
		if i > 0 {
			stage.In = t.begun
		}
		if t.loop {
			r.Consumer = stage
			break
		}
		stage.Setup.Next = []int{i + 1}
		if i+1 == len(s.stages) {
			stage.Setup.Next = []int{}
		} else if s.now > 0 {
			stage.Queue = min(t.filled/s.now/float64(t.limit), 1)
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
