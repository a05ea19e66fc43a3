package main

import (
	"github.com/spoolmedia/spool/cmd/spool/internal/bench"
	"github.com/spoolmedia/spool/cmd/spool/internal/catalog"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/decoding"
	"github.com/spoolmedia/spool/cmd/spool/internal/parity"
	"github.com/spoolmedia/spool/cmd/spool/internal/replay"
	"github.com/spoolmedia/spool/cmd/spool/internal/run"
	"github.com/spoolmedia/spool/cmd/spool/internal/simulate"
)

// commands are all commands of spool.
var commands = []cli.Command{
	catalog.Probe(), decoding.Command(), catalog.Index(), catalog.List(), catalog.Pack(), catalog.Verify(),
	catalog.Packets(), cacheCommand(), run.Command(), replay.Command(run.Again), simulate.Command(), bench.Command(),
	parity.Command(), doctorCommand(),
}
