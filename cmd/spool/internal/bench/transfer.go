package bench

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/bench/copies"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/transfer"
)

func transferCommand() cli.Command {
	return cli.Command{Use: "transfer", Short: "Measure copies to a device and back, compared with the bare driver",
		Define: defineTransfer}
}

func defineTransfer(c *cobra.Command, args []string) {
	var (
		o      copies.Options
		asJSON bool
	)
	f := cli.NewFlags(c, args)
	f.Device(&o.Device, "", "what to copy to; cuda:0 if there is one, else host")
	f.Sizes("bytes", &o.Sizes, "1MiB,4MiB,16MiB,64MiB", "sizes of batches")
	f.Number("batches", &o.Batches, "", 1, "batches in a round of a step; by default 256 MiB of them")
	f.Number("repeat", &o.Rounds, "5", 1, "rounds of each step; the fastest time counts")
	f.Boolean("json", &asJSON, false, "print an object for each step")
	c.RunE = func(c *cobra.Command, args []string) error {
		f.Arguments(args, 0, 0, "")
		if err := f.Problem(); err != nil {
			return err
		}
		if o.Device == "" {
			o.Device = "cuda:0"
			if _, _, err := transfer.Devices(transfer.DeviceOptions{}); err != nil {
				line, _ := cli.Describe(spool.InFile(err, o.Device))
				output.NewConsole(c.ErrOrStderr()).Line(line)
				o.Device = "host"
			}
		}
		results, err := copies.Measure(c.Context(), o)
		if err != nil {
			return err
		}
		if !asJSON {
			return printCopies(c.OutOrStdout(), results)
		}
		for _, r := range results {
			if err := output.JSON(c.OutOrStdout(), r); err != nil {
				return err
			}
		}
		return nil
	}
}

// printCopies prints the table for people.
func printCopies(w io.Writer, results []copies.Result) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.DiscardEmptyColumns)
	size := 0
	for _, r := range results {
		if r.Bytes != size {
			size = r.Bytes
			fmt.Fprintf(t, "%s: batches of %s\n", r.Device, mebibytes(size))
		}
		var bandwidth, ratio string
		if r.GBPerS > 0 {
			bandwidth = fmt.Sprintf("%7.2f GB/s", r.GBPerS)
		}
		switch {
		case r.FloorRatio > 0:
			ratio = fmt.Sprintf("%6.3f of the floor", r.FloorRatio)
		case r.Step == "overlap":
			ratio = fmt.Sprintf("%6.3f hidden", r.Hidden)
		}
		fmt.Fprintf(t, "%s\t%9.1f us\t%s\t%s\t%s\n", r.Step, r.UsPerItem, bandwidth, ratio, r.Engine)
	}
	return t.Flush()
}

func mebibytes(n int) string { return fmt.Sprintf("%.4g MiB", float64(n)/(1<<20)) }
