package spool_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
)

func TestErrorSaysWhatHappened(t *testing.T) {
	cause := errors.New("cause")
	err := fmt.Errorf("outer: %w",
		&spool.Error{Op: "decode", File: "a.jpg", Class: spool.ErrTruncated, Lib: "libjpeg-turbo", Code: 68,
			Text: "premature end", Err: cause})
	require.EqualError(t, err, "outer: decode a.jpg: truncated: premature end (libjpeg-turbo 68)")
	require.ErrorIs(t, err, spool.ErrTruncated)
	require.NotErrorIs(t, err, spool.ErrCorrupt)
	require.ErrorIs(t, err, cause)
	require.Equal(t, spool.ErrTruncated, spool.ClassOf(err))
	require.EqualError(t, &spool.Error{Op: "probe", Class: spool.ErrEmpty}, "probe: empty")
	require.EqualError(t, &spool.Error{Op: "probe", Class: spool.ErrIO, Lib: "libvips", Err: cause},
		"probe: io: cause (libvips)")
}

func TestClassOfStandardErrors(t *testing.T) {
	_, missing := os.Open("no/such/file")
	for _, c := range []struct {
		err  error
		want spool.Class
	}{
		{nil, ""},
		{errors.New("x"), ""},
		{context.Canceled, spool.ErrCanceled},
		{fmt.Errorf("x: %w", context.DeadlineExceeded), spool.ErrTimeout},
		{missing, spool.ErrNotFound},
		{fs.ErrPermission, spool.ErrPermission},
		{&fs.PathError{Op: "read", Path: "x", Err: errors.New("bad disk")}, spool.ErrIO},
		{&os.LinkError{Op: "rename", Old: "x", New: "y", Err: syscall.ENOSPC}, spool.ErrIO},
		{spool.ErrEmpty, spool.ErrEmpty},
	} {
		require.Equal(t, c.want, spool.ClassOf(c.err), "%v", c.err)
	}
}

func TestInFileNamesTheFileOnce(t *testing.T) {
	inner := &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Text: "bad"}
	require.EqualError(t, spool.InFile(inner, "a"), "decode a: corrupt: bad")
	require.Empty(t, inner.File, "the original is not changed")
	require.EqualError(t, spool.InFile(spool.InFile(inner, "a"), "b"), "decode a: corrupt: bad")
	_, missing := os.Open("no/such/file")
	require.EqualError(t, spool.InFile(missing, "no/such/file"), "read no/such/file: not-found: no such file or directory")
	wrapped := spool.InFile(fmt.Errorf("%w: %w", spool.ErrInternal, inner), "a")
	require.EqualError(t, wrapped, "decode a: corrupt: bad")
	require.ErrorIs(t, wrapped, spool.ErrInternal, "what wraps an error is kept")
	plain := errors.New("plain")
	require.Same(t, plain, spool.InFile(plain, "a"))
	require.NoError(t, spool.InFile(nil, "a"))
}

func TestDescBytes(t *testing.T) {
	for _, c := range []struct {
		desc spool.Desc
		n    int
		ok   bool
	}{
		{spool.Desc{Shape: spool.Shape{32, 224, 224, 3}}, 4816896, true},
		{spool.Desc{Shape: spool.Shape{2, 3}, DType: spool.Float32}, 24, true},
		{spool.Desc{Shape: spool.Shape{0, 3}}, 0, true},
		{spool.Desc{Shape: spool.Shape{-1, 3}}, 0, false},
		{spool.Desc{Shape: spool.Shape{math.MaxInt, 2}}, 0, false},
		{spool.Desc{Shape: spool.Shape{math.MaxInt}, DType: spool.Float16}, 0, false},
		{spool.Desc{Shape: spool.Shape{1}, DType: 99}, 0, false},
	} {
		n, ok := c.desc.Bytes()
		require.Equal(t, c.ok, ok, "%v", c.desc)
		require.Equal(t, c.n, n, "%v", c.desc)
	}
	require.Equal(t, "float16 NCHW [1 3 2 2]",
		spool.Desc{Shape: spool.Shape{1, 3, 2, 2}, DType: spool.Float16, Layout: spool.CHW.Batched()}.String())
	require.Equal(t, "int16 NTC [1 8 2]",
		spool.Desc{Shape: spool.Shape{1, 8, 2}, DType: spool.Int16, Layout: spool.TC.Batched()}.String())
	require.Equal(t, spool.NCT, spool.CT.Batched())
	require.True(t, spool.Shape{1, 2}.Equal(spool.Shape{1, 2}))
}

func TestOptionErrorNamesFields(t *testing.T) {
	value := &spool.OptionError{Options: []spool.Option{{Name: "Batch", Value: -1}}, Text: "must not be negative"}
	require.EqualError(t, value, "invalid options: Batch -1: must not be negative")
	require.Equal(t, "Batch -1: must not be negative", value.Detail())
	needs := &spool.OptionError{Options: []spool.Option{{Name: "Mode", Value: "fit"}},
		Needs: []spool.Option{{Name: "Width"}, {Name: "Height"}}}
	require.Equal(t, "Mode fit needs Width and Height", needs.Detail())
	excludes := &spool.OptionError{Options: []spool.Option{{Name: "A"}, {Name: "B"}, {Name: "C"}},
		Excludes: []spool.Option{{Name: "Order", Value: 1}}, Text: "there is no order"}
	require.Equal(t, "A, B and C exclude Order 1: there is no order", excludes.Detail())
	require.Equal(t, "no sources", (&spool.OptionError{Text: "no sources"}).Detail())

	err := fmt.Errorf("open: %w", errors.Join(value, needs))
	require.ErrorIs(t, err, spool.ErrOptions)
	var first *spool.OptionError
	require.ErrorAs(t, err, &first)
	require.Same(t, value, first)
	require.Empty(t, spool.ClassOf(err), "it does not concern an input")
}
