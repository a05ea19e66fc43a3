// Package clitest calls commands in tests, and reads what they write.
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

// Tool is the command with some of what it can do. A call of it runs in this process.
type Tool []cli.Command

// Outcome is what a call came to.
type Outcome struct {
	Code   int
	Stdout string
	Stderr string
}

// Execute gives a call's exit code.
func (x Tool) Execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return cli.Execute(ctx, args, stdout, stderr, x...)
}

// Run is a call, however it ends.
func (x Tool) Run(args ...string) Outcome {
	var stdout, stderr bytes.Buffer
	code := x.Execute(context.Background(), args, &stdout, &stderr)
	return Outcome{code, stdout.String(), stderr.String()}
}

// Done is a call that has to succeed without a word on stderr.
func (x Tool) Done(t testing.TB, args ...string) string {
	t.Helper()
	o := x.Run(args...)
	require.Empty(t, o.Stderr, "%v", args)
	require.Zero(t, o.Code, "%v", args)
	return o.Stdout
}

// Refused is a call that has to fail with the given code and nothing but these lines on stderr.
func (x Tool) Refused(t testing.TB, code int, lines []string, args ...string) {
	t.Helper()
	o := x.Run(args...)
	assert.Equal(t, code, o.Code, "%v", args)
	assert.Equal(t, lines, Lines(o.Stderr), "%v", args)
	assert.Empty(t, o.Stdout, "%v", args)
}

// Lines are the lines of a text that ends in a line's end.
func Lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// With is a call with more arguments.
func With(args []string, more ...string) []string { return append(slices.Clone(args), more...) }
