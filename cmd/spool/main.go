// Command spool probes, decodes, loads and measures media files. See CONTRACT in docs/command.md for
// flags, exit codes and output formats.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() { // a second signal ends the process at once
		<-ctx.Done()
		stop()
	}()
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
