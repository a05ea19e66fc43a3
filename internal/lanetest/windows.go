package lanetest

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
)

// In each form, the samples of a window equal those of the whole image.
func (l Lane) windows(t *testing.T) {
	random := seed.Rand(t)
	for _, name := range l.Files {
		t.Run(name, func(t *testing.T) {
			p, c := l.open(t, name), Enter(t)
			for _, f := range p.Forms {
				whole, _, stored, err := p.window(t, c, f, All(p.Width, p.Height))
				require.NoError(t, err)
				require.Equal(t, p.Height, stored)
				if l.Memory {
					dst := make([]byte, len(whole))
					rows, err := p.Decode(c, Options{Form: f, Dst: dst})
					require.NoError(t, err)
					require.Equal(t, p.Height, rows)
					require.Equal(t, Digest(whole), Digest(dst), "%+v: memory has other pixels than the sink", f)
				}
				for _, w := range p.testWindows(random, cmp.Or(l.Steps, 37)) {
					got, delivered, stored, err := p.window(t, c, f, w)
					require.NoError(t, err, "%+v: %v", f, w)
					if !l.Begins {
						require.Equal(t, w.Bottom-w.Top, delivered, "%+v: %v: rows that nobody wants came", f, w)
					}
					require.GreaterOrEqual(t, delivered, w.Bottom-w.Top)
					require.Equal(t, w.Bottom-w.Top, stored)
					require.Equal(t, Digest(w.Of(whole, p.Width, f.Bytes())), Digest(got), "%+v: %v", f, w)
				}
			}
		})
	}
}

// testWindows lists windows: groups of rows that begin throughout the image, because upsampling filters read across the
// borders of a window, and random windows.
func (p Image) testWindows(random *rand.Rand, steps int) []Window {
	if testing.Short() {
		steps = min(steps, 9)
	}
	list := []Window{
		All(p.Width, p.Height), {p.Width / 3, p.Height / 2, p.Width, p.Height},
		{0, p.Height / 4, (p.Width + 1) / 2, p.Height/4 + 1},
	}
	for top := 0; top < p.Height; top += max(1, p.Height/steps) {
		for _, n := range []int{1, 2, 17, p.Height - top} {
			list = append(list, Window{0, top, p.Width, min(top+n, p.Height)})
		}
	}
	for range short.Of(20, 6) {
		w := Window{Left: random.IntN(p.Width), Top: random.IntN(p.Height)}
		w.Right, w.Bottom = w.Left+1+random.IntN(p.Width-w.Left), w.Top+1+random.IntN(p.Height-w.Top)
		list = append(list, w)
	}
	return list
}

// Rows written to memory equal those of the whole image, wherever they begin and end.
func (l Lane) rows(t *testing.T) {
	for _, name := range l.Files {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, c := l.open(t, name), Enter(t)
			for _, f := range p.Forms {
				whole, _, _, err := p.window(t, c, f, All(p.Width, p.Height))
				require.NoError(t, err)
				row := p.Width * f.Bytes()
				for first := 0; first <= p.Height; first += max(1, p.Height/short.Of(97, 12)) {
					for _, last := range []int{first, first + 1, first + 5, first + 18, p.Height} {
						if last == 0 || last > p.Height {
							continue
						}
						dst := make([]byte, (last-first)*row)
						rows, err := p.Decode(c, Options{Form: f, Dst: dst, First: first, Last: last})
						require.NoError(t, err)
						require.Equal(t, last-first, rows)
						want := whole[first*row : last*row]
						require.Equal(t, Digest(want), Digest(dst), "%+v: rows [%d, %d)", f, first, last)
					}
				}
			}
		})
	}
}

// Nothing is written between rows or after the last row.
func (l Lane) stride(t *testing.T) {
	p, c := l.open(t, l.Files[0]), Enter(t)
	for _, f := range p.Forms {
		whole, _, _, err := p.window(t, c, f, All(p.Width, p.Height))
		require.NoError(t, err)
		row := p.Width * f.Bytes()
		stride := row + 13*f.Bytes()/f.Channels
		const guard = 0xAB
		memory := bytes.Repeat([]byte{guard}, stride*p.Height+64)
		used := stride*(p.Height-1) + row
		rows, err := p.Decode(c, Options{Form: f, Dst: memory[:used:used], Stride: stride})
		require.NoError(t, err)
		require.Equal(t, p.Height, rows)
		for y := range p.Height {
			line := memory[y*stride : (y+1)*stride]
			require.Equal(t, whole[y*row:(y+1)*row], line[:row], "%+v: row %d", f, y)
			require.Equal(t, bytes.Repeat([]byte{guard}, stride-row), line[row:], "%+v: behind row %d", f, y)
		}
		require.Equal(t, bytes.Repeat([]byte{guard}, 64), memory[stride*p.Height:], "%+v: after the image", f)
	}
}

// Memory that is too small for the rows is refused.
func (l Lane) destinations(t *testing.T) {
	p, c := l.open(t, l.Files[0]), Enter(t)
	f := p.Forms[0]
	row := p.Width * f.Bytes()
	for name, o := range map[string]Options{
		"none":            {},
		"a byte short":    {Dst: make([]byte, p.Height*row-1)},
		"gap at the end":  {Dst: make([]byte, p.Height*row+p.Height-2), Stride: row + 1},
		"narrow stride":   {Dst: make([]byte, p.Height*row), Stride: row - 1},
		"rows below":      {Dst: make([]byte, 2*p.Height*row), First: 10, Last: p.Height + 1},
		"first row below": {Dst: make([]byte, 2*p.Height*row), First: p.Height + 1},
	} {
		o.Form = f
		_, err := p.Decode(c, o)
		assert.ErrorIs(t, err, spool.ErrShape, name)
	}
	_, err := p.Decode(c, Options{Form: f, Dst: make([]byte, p.Height*row+p.Height-1), Stride: row + 1})
	assert.NoError(t, err)
}

// A sink for an image of another size is refused.
func (l Lane) otherSize(t *testing.T) {
	p, c := l.open(t, l.Files[0]), Enter(t)
	for _, size := range [][2]int{
		{p.Width - 1, p.Height}, {p.Width, p.Height - 1}, {p.Width + 1, p.Height}, {p.Height, p.Width},
	} {
		target := NewTarget(t, size[0], size[1], p.Forms[0], All(size[0], size[1]))
		_, err := p.Decode(c, Options{Form: p.Forms[0], Sink: target.Sink.Pointer(), Width: size[0], Height: size[1]})
		assert.ErrorIs(t, err, spool.ErrShape, "%v", size)
		target.Close()
	}
}
