package costs

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
)

// mostSamples limits the time of a simulation to some tenths of a second.
const mostSamples = 100_000

// Command returns the command simulate.
func Command() cli.Command {
	return cli.Command{Use: "simulate FILE", Short: "Predict a run with other settings from the costs of a run",
		Define: define}
}

func define(c *cobra.Command, args []string) {
	f := cli.NewFlags(c, args)
	var s Settings
	var asJSON bool
	f.Number("workers", &s.Workers, "0", 0, "samples decoded at a time; 0: as in the run")
	f.Number("prefetch", &s.Prefetch, "0", 0, "finished batches that wait for their consumer; 0: as in the run")
	f.Number("cores", &s.Cores, "0", 0, "cores of the machine; 0: as in the run")
	f.Number("files", &s.Files, "0", 0, "files opened, and as many read, at a time; 0: as in the run")
	const latency = "what each read of a file takes in addition, like 50ms"
	f.Add("latency", "DURATION", "0s", latency, func(text string) (err error) {
		if s.Latency, err = time.ParseDuration(text); err != nil || s.Latency < 0 {
			err = errors.New("must be a duration from 0 up, like 50ms")
		}
		return err
	})
	f.Boolean("json", &asJSON, false, "print one JSON object")
	c.RunE = func(c *cobra.Command, args []string) error {
		f.Arguments(args, 1, 1, "the costs, as run --costs writes them")
		if err := f.Problem(); err != nil {
			return err
		}
		costs, err := Read(args[0])
		if err != nil {
			return err
		}
		samples := min(max(costs.Samples, 1), mostSamples)
		predicted, ok := costs.Predict(s, samples)
		same, _ := costs.Predict(Settings{}, samples)
		if !ok {
			return &spool.Error{Op: "simulate", File: args[0], Class: spool.ErrUnsupported,
				Text: "a stage of this run had no samples"}
		}
		measured := float64(costs.Samples) / costs.Seconds
		deviation := same.Rate/measured - 1
		if asJSON {
			return output.JSON(c.OutOrStdout(), struct {
				Prediction
				Measured  float64 `json:"measured_rate"`
				Deviation float64 `json:"deviation"`
			}{predicted, measured, deviation})
		}
		_, err = fmt.Fprintf(c.OutOrStdout(), "%.1f samples/s, first batch after %.3f s, at most %.1f MB of batches\n%s\n"+
			"The run itself had %.1f samples/s; the simulation of its settings differs by %+.0f %%.\n", predicted.Rate,
			predicted.First, predicted.MemoryMB, predicted.Limits, measured, 100*deviation)
		return err
	}
}
