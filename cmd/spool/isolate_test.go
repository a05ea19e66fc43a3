package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/short"
)

// TestIsolate compares runs with helpers and without, draws of training included, and has a helper that does not start.
func TestIsolate(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	t.Setenv("SPOOL_HELPER", self)
	few := short.Of([]string(nil), []string{"--workers=1"}) // each worker starts a helper
	args := clitest.With([]string{"run", "images", "../../testdata/photos" + short.Of("", "/animal"), "--size=64",
		"--train", "--shuffle", "--digest", "--workers=2"}, few...)
	want := tool.Run(args...)
	require.Zero(t, want.Code, want.Stderr)
	got := tool.Run(append(args, "--isolate=all")...)
	require.Zero(t, got.Code, got.Stderr)
	require.NotEmpty(t, clitest.Digests(want.Stdout))
	assert.Equal(t, clitest.Digests(want.Stdout), clitest.Digests(got.Stdout))

	for _, args := range short.Some([][]string{
		{"run", "video", "../../testdata/video/bframes.mp4", "../../testdata/video/vfr.mp4", "--size=32", "--train",
			"--digest"},
		{"run", "audio", "../../testdata/audio/aac.m4a", "../../testdata/audio/s16.wav", "--duration=0.3", "--digest"},
	}, 2) {
		args = clitest.With(args, few...)
		want, got := tool.Run(args...), tool.Run(append(args, "--isolate=all")...)
		require.Zero(t, want.Code, want.Stderr)
		require.Zero(t, got.Code, got.Stderr)
		require.NotEmpty(t, clitest.Digests(want.Stdout))
		assert.Equal(t, clitest.Digests(want.Stdout), clitest.Digests(got.Stdout), args)
	}

	found := tool.Run("doctor")
	assert.Contains(t, found.Stdout, "processes with")

	t.Setenv("SPOOL_HELPER", "/no/such/program")
	failed := tool.Run("decode", "image", "../../testdata/hard/good/lossless.jp2", "--isolate=auto", "--out=-")
	assert.Equal(t, 1, failed.Code)
	assert.Contains(t, failed.Stderr, "lossless.jp2: io: cannot start a helper")
	heic := []string{"decode", "image", "../../cbridge/vips/testdata/ten.heic", "--out=-"}
	here := tool.Run(append(heic, "--isolate=off")...)
	assert.Zero(t, here.Code)
	assert.Equal(t, here.Stdout, tool.Run(heic...).Stdout, "no helper starts")
	t.Setenv("SPOOL_HELPER", self)
	assert.Equal(t, here.Stdout, tool.Run(heic...).Stdout)
}
