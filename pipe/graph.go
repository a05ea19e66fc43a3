package pipe

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// String draws the pipeline: a line for each stage, from the source on, with its workers, the order of its
// results, how many of them may wait, and where they go.
func (p *Pipeline) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, s := range p.stages {
		fmt.Fprintf(w, "%s\t%s\t", s.name, s.staff())
		for i, o := range s.outputs {
			if i > 0 {
				fmt.Fprint(w, ", ")
			} else {
				fmt.Fprintf(w, "%s\tqueue %d\t-> ", s.order, s.room())
			}
			fmt.Fprint(w, o.goal())
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // a Builder takes everything
	return b.String()
}

// staff says how many workers there are.
func (c *crew) staff() string {
	switch {
	case c.spare != nil:
		return fmt.Sprintf("auto, up to %d workers", len(c.meters))
	case len(c.meters) == 1:
		return "1 worker"
	}
	return fmt.Sprintf("%d workers", len(c.meters))
}

// goal is who takes the results.
func (o *output) goal() string {
	if o.next == nil {
		return "loop"
	}
	return o.next.name
}

// String is what the documentation calls it.
func (o Order) String() string {
	if o == AsCompleted {
		return "as completed"
	}
	return "ordered"
}
