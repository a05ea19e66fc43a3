package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spoolmedia/spool/bench"
)

// show prints a result and its missed goals.
func show(out io.Writer, r *bench.Result) error {
	fmt.Fprintf(out, "compare: commit %s with %s, $%.2f for an hour of a core\n", r.Commit, r.Build, bench.CoreHour)
	var missed []string
	for _, c := range r.Works {
		t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintf(t, "\n%s\trate\tcpu ms\tmillions for $1\tKB read\tKB out\tpage faults\tttfb s\trss MB\n", c.Work.Name)
		for _, s := range c.Contestants {
			fmt.Fprintf(t, "%s\t%.0f\t%.3f\t%.1f\t%.1f\t%.1f\t%.2f\t%.3f\t%.0f\n", s.Label, s.Rate, s.CPU,
				bench.MillionsForADollar(s.CPU), s.Read, s.Out, s.Faults, s.TTFB, s.RSS)
		}
		if err := t.Flush(); err != nil {
			return err
		}
		fmt.Fprintln(t)
		for _, d := range c.Duels {
			verdict := ""
			switch {
			case d.Goal == 0:
			case d.Held():
				verdict = fmt.Sprintf(">= %.2f: held", d.Goal)
			default:
				verdict = fmt.Sprintf(">= %.2f: MISSED", d.Goal)
				missed = append(missed, c.Work.Name+" "+d.Own+"/"+d.Other)
			}
			fmt.Fprintf(t, "%s / %s\t%.3f\t(%.3f to %.3f)\tin CPU time %.3f\t%s\n", d.Own, d.Other, d.Ratio, d.Low, d.High,
				d.CPURatio, verdict)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "\ncompare: %d goals missed", len(missed))
	if len(missed) > 0 {
		fmt.Fprintf(out, ": %s", strings.Join(missed, ", "))
	}
	_, err := fmt.Fprintln(out)
	return err
}
