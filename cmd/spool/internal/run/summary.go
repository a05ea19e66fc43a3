package run

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/internal/tally"
	"github.com/spoolmedia/spool/pipe"
)

// summary is what a run did, with the keys of --json.
type summary struct{ tally.Tally }

// newSummary starts the clocks.
func newSummary() *summary { return &summary{tally.Begin()} }

// nothing reports whether a run that ended with failed reached its end without a good sample.
func (s *summary) nothing(failed error) bool {
	_, stopped := errors.AsType[*pipe.Failure](failed) // by a policy or a budget
	over := failed == nil || errors.Is(failed, spool.ErrEmpty) && !stopped
	return over && s.Failed > 0 && s.Failed == s.Stages[0].Items
}

// print prints the summary in one write.
func (s *summary) print(w io.Writer, asJSON, stopped bool) error {
	if asJSON {
		return output.JSON(w, s)
	}
	var out bytes.Buffer
	if stopped {
		fmt.Fprint(&out, "interrupted after ")
	}
	fmt.Fprintf(&out, "%d samples in %d batches, %d failed, %d epochs: %.1f samples/s, first batch after %.3f s, %.2f s "+
		"in all, %.3f ms CPU a sample, %d MB\n",
		s.Samples, s.Batches, s.Failed, s.Epochs, s.Rate, s.TTFB, s.Wall, s.CPU, s.RSS)
	if s.Warned > 0 {
		fmt.Fprintf(&out, "%d of them read with warnings\n", s.Warned)
	}
	if s.Repeated > 0 {
		fmt.Fprintf(&out, "%d samples of each epoch are repeated, so that all ranks have the same number\n", s.Repeated)
	}
	if s.Dropped > 0 {
		fmt.Fprintf(&out, "%d samples of each epoch are left out, so that all ranks have the same number\n", s.Dropped)
	}
	if s.Waste != nil {
		fmt.Fprintf(&out, "%v\n", s.Waste)
	}
	if s.LeftOut > 0 {
		fmt.Fprintf(&out, "%d rows of tables are left out by --where\n", s.LeftOut)
	}
	if left := s.JPEG.Left; len(left) > 0 {
		fmt.Fprintf(&out, "%d of %d JPEG images were decoded by libjpeg-turbo, which is slower: %s\n", s.JPEG.Turbo,
			s.JPEG.Own+s.JPEG.Turbo, output.Counts(left))
	}
	if s.Remote != nil {
		fmt.Fprintf(&out, "%v\n", s.Remote)
	}
	if s.Cache != nil {
		fmt.Fprintf(&out, "%v\n", s.Cache)
	}
	fmt.Fprintln(&out)
	if err := printStages(&out, s.Stages); err != nil {
		return err
	}
	fmt.Fprintf(&out, "\n%s\n", s.Verdict)
	_, err := w.Write(out.Bytes())
	return err
}
