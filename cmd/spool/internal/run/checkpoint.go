package run

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/loader"
)

// checkpoint is where a run writes its state, and the states from which it resumes.
type checkpoint struct {
	file   string   // of --state-out; empty: none
	every  int      // batches
	resume []string // files of the ranks of an earlier run

	device  bool // file is a device or a pipe: it is written in place, not replaced
	batches int  // since the run began

	states []loader.State // to resume from, instead of files
}

// define adds the flags.
func (c *checkpoint) define(f *cli.Flags) {
	f.Text("state-out", &c.file, "FILE", "state of the run, for --resume; replaced atomically after each batch")
	f.Number("state-every", &c.every, "1", 1, "batches between two writes of --state-out")
	f.Add("resume", "FILE", "", "resume from this state; give the states of all ranks if the number of ranks differs now",
		func(s string) error {
			c.resume = append(c.resume, s)
			return nil
		})
}

// judge checks its flags together with the loader's.
func (c *checkpoint) judge(f *cli.Flags, r *settings.Load) {
	if r.Options().Order == batch.Any && (c.file != "" || len(c.resume) > 0) {
		f.Refuse("--state-out and --resume need --order=exact: samples in any order have no state")
	}
	if r.Headspace && c.file != "" {
		f.Refuse("--headspace excludes --state-out: it repeats the first batches")
	}
}

// read reads the states to resume from.
func (c *checkpoint) read() (states []loader.State, err error) {
	states = c.states
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

// goesOn reports whether the run has delivered batches before, so that it may find only bad samples.
func (c *checkpoint) goesOn() bool { return len(c.resume)+len(c.states) > 0 }

// begin checks that the state can be written, before anything is loaded.
func (c *checkpoint) begin() error {
	if c.file == "" {
		return nil
	}
	info, err := os.Stat(c.file)
	switch {
	case err == nil && info.IsDir():
		return &spool.Error{Op: "write", File: c.file, Class: spool.ErrNotAFile,
			Text: "a directory, where a file is to be written"}
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

// delivered writes the state after a batch has been processed.
func (c *checkpoint) delivered(l *loader.Loader) error {
	c.batches++
	if c.file == "" || c.batches%c.every != 0 {
		return nil
	}
	return c.write(l)
}

// end writes the state of a run that is complete.
func (c *checkpoint) end(l *loader.Loader) error {
	if c.file == "" {
		return nil
	}
	return c.write(l)
}

// write replaces the file with the current state. If the process ends meanwhile, the old file remains.
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
