package stats

import "time"

// Report is what a pipeline has done so far, or in all.
type Report struct {
	Elapsed  time.Duration // from the start of All to its end
	First    time.Duration // of a simulation: when the last stage began its first item; 0 of a run
	Stages   []StageReport // in order, from the source on
	Consumer StageReport   // the loop over All; its body is the work

	Failures int64  // of all stages, including those of Record
	Moves    []Move // the last 256 changes of Auto stages' workers
	Stuck    []Stuck

	Cores    int           // the number of cores that Go uses
	CPU      time.Duration // CPU time of the process since the start of the run; 0 if it is unknown
	CPUShare float64       // pipe.Options.CPUShare; 0 without a limit
	Paused   time.Duration // time in which no work was begun because of CPUShare
	Tuning   string        // what the tuning of Auto workers does; empty without it
}

// Move is a change of a stage's number of workers.
type Move struct {
	At       time.Duration // since the start of the run
	Stage    string
	From, To int
	Reason   string
}

// Stuck is an item that has been in work for longer than pipe.Options.Watch allows.
type Stuck struct {
	ID    string        // as in pipe.Failure
	File  string        // as in pipe.Failure
	Stage string        // the stage of the function
	For   time.Duration // how long it has been in work
}

// StageReport is the report of one stage. Times include work in progress, so they are correct while the pipeline runs.
// Its JSON keys are part of the command's contract.
//
// Service time is the time of one worker for one item: that of the function, plus some 100 ns for passing the item on
// without a wait. Its quantiles are within 3.2 %. Failed items count, too.
type StageReport struct {
	Name     string `json:"name"`
	Workers  int    `json:"workers"`  // now
	Items    int64  `json:"items"`    // done without failure; for a collector, the items that it took
	Failures int64  `json:"failures"` // failed items, including those that pipe.Options.Replace replaced
	AtWork   int    `json:"-"`        // workers that have an item now; on average Occupancy times Workers

	// The flow of items. In is Items + Failures + Dropped + the items in work, unless the caller records failures itself.
	// Out is the next stage's In + Unused + the results that wait.
	In      int64 `json:"-"` // items taken; 0 for a source
	Out     int64 `json:"-"` // results passed on
	Dropped int64 `json:"-"` // items that a filter dropped or the end of the run interrupted

	Outs    []int64 `json:"-"` // Out by the stages of Setup.Next
	Unused  int64   `json:"-"` // results released at the end because no stage took them
	Retries int64   `json:"-"` // attempts for an item after the first

	MeanMS float64 `json:"mean_ms"` // service time of an item in milliseconds
	P50MS  float64 `json:"p50_ms"`
	P90MS  float64 `json:"p90_ms"`
	P99MS  float64 `json:"p99_ms"`

	// Seconds, added up over the workers.
	WaitInS  float64 `json:"wait_in_s"`  // waiting for items
	WaitOutS float64 `json:"wait_out_s"` // waiting for room for results
	WorkS    float64 `json:"-"`          // at work
	StaffS   float64 `json:"-"`          // in all

	Occupancy float64 `json:"occupancy"` // WorkS / StaffS, 0 to 1
	Queue     float64 `json:"queue"`     // mean fill of the queue after the stage, seen by the next stage, 0 to 1
	Filled    float64 `json:"-"`         // fill of that queue at the time of the report, 0 to 1

	Service *Histogram `json:"-"` // service times
	Setup   Setup      `json:"-"`

	// Records of an observer, for Model: see package pipe/costs. nil without one.
	Times []time.Duration `json:"-"` // the service time of each item, in the order of the input
	Paths []int           `json:"-"` // of a Route: the path of each item, in the order of the input
	// CPUShare is the share of the service times in which the worker's thread used a core; 0 if it is unknown.
	CPUShare float64 `json:"-"`
}

// Setup is how a stage was built, for Verdict and Model.
type Setup struct {
	Auto        bool // its number of workers is tuned
	Single      bool // it cannot have more workers
	Budget      bool // it waits for bytes of a budget
	AsCompleted bool // results come in the order in which they are done

	// Queue is the number of results that may wait, in addition to one per worker.
	Queue int
	// Next are the stages that take its results, by index in the report, with the consumer last. nil is the next stage.
	Next []int

	// From are the stages from which a stage with several inputs takes, by index, in the order of its inputs.
	From []int

	Kind    Kind
	Router  int       // of a Join: its Route, by index in the report
	Weights []float64 // of a Merge: the shares of its inputs; nil means equal shares, in turn
}

// Describe sets the figures that follow from service times and from WorkS and StaffS.
func (s *StageReport) Describe(service *Histogram) {
	s.Service = service
	s.MeanMS = milliseconds(service.Mean())
	s.P50MS = milliseconds(service.Quantile(0.50))
	s.P90MS = milliseconds(service.Quantile(0.90))
	s.P99MS = milliseconds(service.Quantile(0.99))
	s.Occupancy = 0
	if s.StaffS > 0 {
		s.Occupancy = min(s.WorkS/s.StaffS, 1)
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
