package pipe

import (
	"math/rand/v2"
	"time"
)

// Hurry shortens the time after which Admit fails when nothing moves.
func (p *Pipeline) Hurry(timeout time.Duration) { p.stallTimeout = timeout }

// OnMachine lets the pipeline run as on a machine with that many cores, whose CPU time used returns.
func (p *Pipeline) OnMachine(cores int, used func() time.Duration) { p.cores, p.cpuTime = cores, used }

// Restaff sets the number of workers of every Auto stage to a random value.
func (p *Pipeline) Restaff(r *rand.Rand) {
	for _, s := range p.stages {
		if s.spare != nil {
			p.setWorkers(s, 1+r.IntN(len(s.meters)), "by chance")
		}
	}
}
