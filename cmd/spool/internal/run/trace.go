package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe/trace"
)

// tracing is the traces of a run.
type tracing struct {
	file string        // empty: none
	time time.Duration // after each signal; 0: the file has the whole run
	tap  trace.Tap     // of signals, and of the page
}

// define adds the flags.
func (t *tracing) define(f *cli.Flags) {
	f.Text("trace", &t.file, "FILE.json", "a trace of all workers, for ui.perfetto.dev or chrome://tracing")
	f.Duration("trace-seconds", &t.time, "0", "for --trace: the time to write after each SIGUSR2, the second time to "+
		"FILE-2.json; 0: the whole run")
}

// judge refuses flags that do not go together.
func (t *tracing) judge(f *cli.Flags) {
	if t.time > 0 && t.file == "" {
		f.Refuse("--trace-seconds needs --trace")
	}
}

// begin has a loader write its traces until end. It uses the tap only if a page or signals may ask for traces.
func (t *tracing) begin(options *loader.Options, page bool, console *output.Console) (end func() error, err error) {
	end = func() error { return nil }
	if t.file != "" && t.time == 0 {
		w, err := trace.Create(t.file)
		if err != nil {
			return nil, spool.InFile(err, t.file)
		}
		options.Observer = w
		end = func() error { return spool.InFile(w.Close(), t.file) }
	}
	if page || t.time > 0 {
		t.tap.Next = options.Observer
		options.Observer = &t.tap
	}
	if t.time > 0 {
		end = t.onSignals(console)
	}
	return end, nil
}

// onSignals writes a trace of some time at each SIGUSR2, until end, which ends the last one. If it fails, the run goes
// on.
func (t *tracing) onSignals(console *output.Console) (end func() error) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR2)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for n := 1; ; n++ {
			select {
			case <-signals:
				if err := t.record(ctx, numbered(t.file, n), console); err != nil {
					console.Line("spool: " + output.OneLine(err.Error()))
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() error {
		signal.Stop(signals)
		cancel()
		<-ended
		return nil
	}
}

// record writes a trace that begins now.
func (t *tracing) record(ctx context.Context, name string, console *output.Console) error {
	file, err := os.Create(name)
	if err != nil {
		return spool.InFile(err, name)
	}
	console.Line(fmt.Sprintf("spool: trace of %v begins: %s", t.time, output.OneLine(name)))
	within, cancel := context.WithTimeout(ctx, t.time)
	defer cancel()
	if err := errors.Join(t.tap.Record(within, file), file.Close()); err != nil {
		return spool.InFile(err, name)
	}
	console.Line("spool: trace is written: " + output.OneLine(name))
	return nil
}

// numbered returns the name of a file, with its number before the extension from the second one on.
func numbered(name string, n int) string {
	if n == 1 {
		return name
	}
	ext := filepath.Ext(name)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), n, ext)
}
