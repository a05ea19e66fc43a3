// Package clitest calls commands in tests, and reads their output.
package clitest

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
)

// Tool is the command spool with some of its commands. Calls run in this process.
type Tool []cli.Command

// Outcome is the result of a call.
type Outcome struct {
	Code   int
	Stdout string
	Stderr string
}

// Execute returns a call's exit code.
func (x Tool) Execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return cli.Execute(ctx, args, stdout, stderr, x...)
}

// Run makes a call, whatever its result.
func (x Tool) Run(args ...string) Outcome {
	var stdout, stderr bytes.Buffer
	code := x.Execute(context.Background(), args, &stdout, &stderr)
	return Outcome{code, stdout.String(), stderr.String()}
}

// Done makes a call that must succeed with nothing on stderr, and returns its stdout.
func (x Tool) Done(t testing.TB, args ...string) string {
	t.Helper()
	o := x.Run(args...)
	require.Empty(t, o.Stderr, "%v", args)
	require.Zero(t, o.Code, "%v", args)
	return o.Stdout
}

// Refused makes a call that must fail with the given code and exactly these lines on stderr.
func (x Tool) Refused(t testing.TB, code int, lines []string, args ...string) {
	t.Helper()
	o := x.Run(args...)
	assert.Equal(t, code, o.Code, "%v", args)
	assert.Equal(t, lines, Lines(o.Stderr), "%v", args)
	assert.Empty(t, o.Stdout, "%v", args)
}

// Lines splits a text that ends in a newline.
func Lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// With returns arguments followed by more.
func With(args []string, more ...string) []string { return append(slices.Clone(args), more...) }
