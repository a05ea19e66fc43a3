package run

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/loader"
)

// checkpoint is where a run writes down how far it has come, and what it goes on from.
type checkpoint struct {
	file   string   // of --state-out; empty: none
	every  int      // batches
	resume []string // files of former ranks

	device  bool // file is a device or a pipe: it is written to, not replaced
	batches int  // since the run began
}

// define adds its flags.
func (c *checkpoint) define(f *cli.Flags) {
	f.Text("state-out", &c.file, "FILE", "how far the run has come, for --resume: written behind each batch, whole or not at all")
	f.Number("state-every", &c.every, "1", 1, "batches from one --state-out to the next")
	f.Add("resume", "FILE", "", "go on where the run that wrote this state stopped; once for each of its ranks, where there are other ranks now", func(s string) error {
		c.resume = append(c.resume, s)
		return nil
	})
}

// judge looks at its flags together with the loader's options.
func (c *checkpoint) judge(f *cli.Flags, r loader.Options) {
	if r.Order == batch.Any && (c.file != "" || len(c.resume) > 0) {
		f.Refuse("--state-out and --resume need --order exact")
	}
	if r.Headspace && c.file != "" {
		f.Refuse("--headspace goes nowhere: there is no --state-out of it")
	}
}

// read reads the states to go on from.
func (c *checkpoint) read() (states []loader.State, err error) {
	for _, name := range c.resume {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, spool.InFile(err, name)
		}
		state, err := loader.ParseState(text)
		if err != nil {
			return nil, spool.InFile(err, name)
		}
		states = append(states, state)
	}
	return states, nil
}

// begin looks whether the state can be written where it is to be, before anything is loaded.
func (c *checkpoint) begin() error {
	if c.file == "" {
		return nil
	}
	info, err := os.Stat(c.file)
	switch {
	case err == nil && info.IsDir():
		return &spool.Error{Op: "write", File: c.file, Class: spool.ErrNotAFile, Text: "a directory, where a file is to be written"}
	case err == nil && !info.Mode().IsRegular():
		c.device = true
		return nil
	}
	file, err := renameio.NewPendingFile(c.file, renameio.WithTempDir(filepath.Dir(c.file)))
	if err != nil {
		return spool.InFile(err, c.file)
	}
	return file.Cleanup()
}

// delivered writes the state behind a batch that has been dealt with.
func (c *checkpoint) delivered(l *loader.Loader) error {
	c.batches++
	if c.file == "" || c.batches%c.every != 0 {
		return nil
	}
	return c.write(l)
}

// end writes the state of a run that has come to its end.
func (c *checkpoint) end(l *loader.Loader) error {
	if c.file == "" {
		return nil
	}
	return c.write(l)
}

// write replaces the file by one with the state of now. A process that ends meanwhile leaves the old one.
func (c *checkpoint) write(l *loader.Loader) error {
	state, err := l.State()
	if err != nil {
		return err
	}
	text, err := json.Marshal(state)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if c.device {
		return spool.InFile(os.WriteFile(c.file, text, 0), c.file)
	}
	return spool.InFile(renameio.WriteFile(c.file, text, 0o644, renameio.WithTempDir(filepath.Dir(c.file))), c.file)
}
