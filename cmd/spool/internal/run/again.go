package run

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/internal/checkup"
	"github.com/spoolmedia/spool/internal/receipt"
)

// Again makes one batch of a run again, from the receipts in a file, and prints its digest. It fails if the batch
// differs.
func Again(ctx context.Context, file string, number int, stdout, stderr io.Writer) error {
	paper, err := receipt.Read(ctx, file, number)
	if err != nil {
		return err
	}
	if len(paper.Arguments) == 0 {
		return &spool.Error{Op: "open", File: file, Class: spool.ErrUnsupported,
			Text: "receipts of a loader of the library: only its method batch makes their batches again"}
	}
	do := func(ctx context.Context, r *run) error {
		r.ledger, r.page, r.sheet, r.trace.file, r.receipts, r.costs = "", "", "", "", "", ""
		r.trace.time = 0
		r.progress = checkpoint{}
		r.progress.states = append(r.progress.states, *paper.Rows[0].Before)
		return r.again(ctx, paper)
	}
	root := cli.Root(paper.Arguments, group(do))
	root.SetArgs(paper.Arguments)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return root.ExecuteContext(ctx)
}

// again loads the first batch, and compares it with its receipt.
func (r *run) again(ctx context.Context, paper *receipt.Receipt) (err error) {
	var h resources
	defer cli.Closing(&err, h.close)
	ld, err := h.load(ctx, r)
	if err != nil {
		return err
	}
	defer cli.Closing(&err, ld.Close)
	defer cli.Closing(&err, r.device.end)
	h.bad.Flow()
	for b, err := range ld.Batches(ctx) {
		if err != nil {
			return err
		}
		defer b.Release()
		different := paper.Differences(b)
		if _, err := fmt.Fprintf(r.stdout, "%d %d %s\n", b.Epoch, b.Index, digest(b)); err != nil {
			return err
		}
		return r.compared(paper, different, h.bad.Console)
	}
	return errors.New("the run has no such batch any more: no good samples are left")
}

// compared reports the differences between a batch and its receipt. Other samples may fail meanwhile, and are reported
// on the same console.
func (r *run) compared(paper *receipt.Receipt, different []string, console *output.Console) error {
	for _, line := range different {
		console.Line("spool: " + line)
	}
	if now := checkup.Version(); now != paper.Version {
		console.Line(fmt.Sprintf("spool: made by %s, and again by %s", paper.Version, now))
	}
	if len(different) > 0 {
		return cli.ErrReported
	}
	what := "the same samples, without digests to compare"
	if paper.Rows[0].Digest != "" {
		what = "the same bytes"
	}
	_, err := fmt.Fprintf(r.stdout, "%d samples: %s\n", len(paper.Rows), what)
	return err
}
