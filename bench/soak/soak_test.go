package main

import (
	"context"
	"errors"
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
	// The seventh argument is the number of repetitions. Only the long run takes 64 MB.
	const grows = `if [ "$7" -gt 100 ]; then x=$(head -c 64000000 /dev/zero | tr '\0' x); fi; echo '{}'`
	flat, growing := command("echo '{}'"), command(grows)
	s := settings{short: 2, growth: 0.2, scale: 1}
	w := work{bench: "images", files: photos, few: 1000, many: 1_000_000, limit: 50}

	s.spool = flat
	require.NoError(t, s.run(context.Background(), "images", w))
	s.spool = growing
	err := s.run(context.Background(), "images", w)
	assert.ErrorContains(t, err, "more than 50 MB")
	assert.ErrorContains(t, err, "growth of more than 20 %")
	err = s.run(context.Background(), "one long run", work{bench: "images", files: photos, many: 1_000_000, limit: 50})
	assert.ErrorContains(t, err, "more than 50 MB")
	assert.NotContains(t, err.Error(), "growth")
	s.spool = command("exit 1")
	assert.Error(t, s.run(context.Background(), "images", w))
	none := func(context.Context, string) (string, int, error) { return "", 0, errors.New("no files") }
	assert.ErrorContains(t, s.run(context.Background(), "nothing", work{files: none}), "no files")
}

func TestClips(t *testing.T) {
	t.Chdir("../..")
	glob, n, err := clips(context.Background(), "")
	require.NoError(t, err)
	found, err := filepath.Glob(glob)
	require.NoError(t, err)
	assert.Len(t, found, n)
	assert.Positive(t, n)
}
