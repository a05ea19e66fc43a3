package kernel_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/seed"
)

// fenced returns n bytes of mapped memory directly before an inaccessible page.
func fenced(t *testing.T, n int) []byte {
	t.Helper()
	page := unix.Getpagesize()
	pages := (n + page - 1) / page * page
	memory, err := unix.Mmap(-1, 0, pages+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Munmap(memory)) })
	require.NoError(t, unix.Mprotect(memory[pages:], unix.PROT_NONE))
	return memory[pages-n : pages : pages]
}

// Kernels read whole vectors, but never beyond the memory of rows, destination or scratch.
func TestFence(t *testing.T) {
	r := seed.Rand(t)
	for range 150 {
		p := randomPlan(r, 100)
		in := randomInput(r, p)
		want := in.output(p)
		for level := range kernel.Levels {
			dst, scratch := fenced(t, len(want)), fenced(t, p.ScratchBytes())
			s, err := kernel.NewSinkAt(p, dst, scratch, level)
			require.NoError(t, err)
			first, last := s.Wanted()
			rows := in.rows(first, last)
			memory := fenced(t, len(rows))
			copy(memory, rows)
			enough, err := s.Push(memory, len(rows)/(last-first), last-first)
			require.NoError(t, err)
			require.True(t, enough)
			require.NoError(t, s.Close())
			requireOutput(t, p, want, dst, level)
		}
	}
}
