package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func TestRun(t *testing.T) {
	t.Chdir("../..")
	command := func(script string) string {
		path := filepath.Join(t.TempDir(), "spool")
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700))
		return path
	}
	// The seventh argument is how often to go over the photos: the long run alone takes 64 MB.
	const grows = `if [ "$7" -gt 100 ]; then x=$(head -c 64000000 /dev/zero | tr '\0' x); fi; echo '{}'`
	flat, growing := command("echo '{}'"), command(grows)
	s := settings{few: 1000, many: 1_000_000, short: 2, limit: 50, growth: 0.2}

	s.spool = flat
	require.NoError(t, s.run(context.Background()))
	s.spool = growing
	err := s.run(context.Background())
	assert.ErrorContains(t, err, "more than 50 MB")
	assert.ErrorContains(t, err, "growth of more than 20 %")
	s.spool = command("exit 1")
	assert.Error(t, s.run(context.Background()))
}
