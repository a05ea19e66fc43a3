// Command spool probes, decodes, loads and measures media files. docs/command.md describes its flags, exit codes and
// formats.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	_ "github.com/spoolmedia/spool/cbridge/call/aborted"    // a crash has exit code 3
	_ "github.com/spoolmedia/spool/cbridge/call/latetimers" // decoders are not interrupted
	_ "github.com/spoolmedia/spool/cbridge/call/limits"     // without memory or threads Go aborts
	_ "github.com/spoolmedia/spool/cbridge/mem/counted"     // FFmpeg hides failed allocations
	_ "github.com/spoolmedia/spool/cbridge/mem/heaps"       // memory stays flat
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/isolate"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/cores"
	"github.com/spoolmedia/spool/internal/gcpercent"
)

// grace is how long an interrupted command may take to stop and to print its results. Only a read that hangs in the
// system, or a library in the middle of one image, takes longer. The process then ends without waiting for it.
const grace = 800 * time.Millisecond

func main() {
	log.SetOutput(io.Discard) // net/http logs there; lines on stderr have a documented form
	gcpercent.Set(cores.Count())
	isolate.Main(video.HelperTasks(), audio.HelperTasks()) // the command is its own helper
	if self, err := os.Executable(); err == nil && os.Getenv("SPOOL_HELPER") == "" {
		_ = os.Setenv("SPOOL_HELPER", self) // fails for impossible names only
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop() // a second signal ends the process at once
		<-time.After(grace)
		fmt.Fprintln(os.Stderr, cli.Interrupted)
		os.Exit(cli.ExitInterrupted)
	}()
	os.Exit(cli.Execute(ctx, os.Args[1:], os.Stdout, os.Stderr, commands...))
}
