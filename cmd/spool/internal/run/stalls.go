package run

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/pprof"
	"syscall"
	"text/tabwriter"

	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/internal/tally"
	"github.com/spoolmedia/spool/pipe/stats"
)

// tellStuck prints a line for a sample that has been in one step for too long.
func tellStuck(c *output.Console) func(stats.Stuck) {
	return func(s stats.Stuck) { c.Line("spool: " + output.OneLine(tally.StuckOf(s).String())) }
}

// showState prints the state of all stages for each SIGQUIT, until the function that it returns is called. The run goes
// on.
func showState(c *output.Console, report func() stats.Report) (end func()) {
	quit := make(chan os.Signal, 1)
	signal.Notify(quit, syscall.SIGQUIT)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for range quit {
			c.Line(state(report()))
		}
	}()
	return func() {
		signal.Stop(quit)
		close(quit)
		<-ended
	}
}

// state describes a running pipeline: its stages, the samples that take long, and the stacks of all goroutines.
func state(r stats.Report) string {
	var out bytes.Buffer
	fmt.Fprintf(&out, "spool: state after %.1f s\n", r.Elapsed.Seconds())
	_ = printStages(&out, r.Stages) // a buffer never fails
	fmt.Fprintf(&out, "\n%s\n", r.Verdict())
	for _, s := range r.Stuck {
		fmt.Fprintln(&out, output.OneLine(tally.StuckOf(s).String()))
	}
	fmt.Fprintln(&out)
	_ = pprof.Lookup("goroutine").WriteTo(&out, 1)
	return out.String()
}

// printStages prints the table of the stages.
func printStages(w io.Writer, stages []stats.StageReport) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "stage\tworkers\titems\tfailures\tmean ms\tp50\tp90\tp99\twait in s\twait out s\toccupancy\tqueue\t")
	for _, x := range stages {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t%.2f\t%.2f\t%.0f%%\t%.0f%%\t\n", x.Name, x.Workers, x.Items,
			x.Failures,
			x.MeanMS, x.P50MS, x.P90MS, x.P99MS, x.WaitInS, x.WaitOutS, 100*x.Occupancy, 100*x.Queue)
	}
	return t.Flush()
}
