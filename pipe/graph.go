package pipe

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// String describes the pipeline with one line per stage, from the source on. A line has the workers, the order of
// results, the queue and the next stages.
func (p *Pipeline) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, s := range p.stages {
		fmt.Fprintf(w, "%s\t%s\t", s.name, s.workersText())
		for i, o := range s.outputs {
			if i > 0 {
				fmt.Fprint(w, ", ")
			} else {
				fmt.Fprintf(w, "%s\tqueue %d\t-> ", orderText(s.ordered), s.room())
			}
			fmt.Fprint(w, o.goal())
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // writes to a Builder never fail
	return b.String()
}

// workersText describes the number of workers.
func (c *workerPool) workersText() string {
	switch {
	case c.spare != nil:
		return fmt.Sprintf("auto, up to %d workers", len(c.meters))
	case len(c.meters) == 1:
		return "1 worker"
	}
	return fmt.Sprintf("%d workers", len(c.meters))
}

// goal returns the name of the stage that takes the results, or "loop".
func (o *output) goal() string {
	if o.next == nil {
		return "loop"
	}
	return o.next.name
}

func orderText(ordered bool) string {
	if ordered {
		return "ordered"
	}
	return "as completed"
}
