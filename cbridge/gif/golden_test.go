package gif_test

import (
	"bytes"
	"image"
	"image/color"
	stdgif "image/gif"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/floor"
	"github.com/spoolmedia/spool/cbridge/gif"
	"github.com/spoolmedia/spool/internal/lanetest"
)

func TestFirstFrameIsPillows(t *testing.T) {
	for name, want := range lanetest.Goldens[golden](t) {
		t.Run(name, func(t *testing.T) {
			rgb, report, err := first(t, lanetest.Read(t, name), 3)
			require.NoError(t, err)
			assert.Equal(t, want.Frames[0].RGB, lanetest.Digest(rgb))
			assert.Equal(t, 1.0, report.Fraction)
			rgba, _, err := first(t, lanetest.Read(t, name), 4)
			require.NoError(t, err)
			assert.Equal(t, want.Frames[0].RGBA, lanetest.Digest(rgba))
		})
	}
}

// With Background the pixels equal torchvision's. For RGBA, Background changes nothing.
func TestFirstFrameIsTorchvisions(t *testing.T) {
	compared, apart := 0, 0
	for name, want := range lanetest.Goldens[golden](t) {
		if want.Torchvision == "" {
			continue
		}
		data := lanetest.Read(t, name)
		for channels, expected := range map[int]string{3: want.Torchvision, 4: want.Frames[0].RGBA} {
			p := newTarget(t, want.Width, want.Height, channels)
			p.o.Background = true
			c := enter(t)
			_, err := gif.Decode(c, data, p.o)
			c.Leave()
			p.Close()
			require.NoError(t, err, name)
			assert.Equal(t, expected, lanetest.Digest(p.Pixels), "%s, %d channels", name, channels)
		}
		compared++
		if want.Torchvision != want.Frames[0].RGB {
			apart++
		}
	}
	assert.Greater(t, compared, 70)
	assert.Greater(t, apart, 20)
}

func TestFramesArePillows(t *testing.T) {
	compared := 0
	for name, want := range lanetest.Goldens[golden](t) {
		t.Run(name, func(t *testing.T) {
			rgb, reports := frames(t, lanetest.Read(t, name), 3)
			rgba, _ := frames(t, lanetest.Read(t, name), 4)
			require.Len(t, rgb, len(want.Frames))
			for i, f := range want.Frames {
				assert.Equal(t, f.RGB, lanetest.Digest(rgb[i]), "frame %d, RGB", i)
				assert.Equal(t, f.RGBA, lanetest.Digest(rgba[i]), "frame %d, RGBA", i)
				assert.Equal(t, time.Duration(f.Delay)*time.Millisecond, reports[i].Delay)
				compared++
			}
		})
	}
	assert.Greater(t, compared, 150)
}

// Go's decoder and bare giflib are independent references for a frame's pixels.
func TestFirstFrameIsGosAndGiflibs(t *testing.T) {
	compared := 0
	for name := range lanetest.Goldens[golden](t) {
		data := lanetest.Read(t, name)
		all, err := stdgif.DecodeAll(bytes.NewReader(data))
		if err != nil {
			t.Log(name, "is refused by Go:", err)
			continue
		}
		m := all.Image[0]
		h, err := gif.ReadHeader(data)
		require.NoError(t, err)
		if m.Rect != image.Rect(0, 0, h.Width, h.Height) {
			continue
		}
		rgb, _, err := first(t, data, 3)
		require.NoError(t, err)
		bare := make([]byte, len(rgb))
		if err := floor.GIF(data, bare); err == nil && name != "short_table.gif" {
			assert.Equal(t, bare, rgb, "giflib: %s", name)
		}
		for i, index := range m.Pix {
			if int(index) >= len(m.Palette) {
				continue
			}
			c, ok := m.Palette[index].(color.RGBA)
			require.True(t, ok)
			if c.A != 0 { // Go drops the color of transparent pixels
				require.Equal(t, []byte{c.R, c.G, c.B}, rgb[3*i:3*i+3], "%s: pixel %d", name, i)
			}
		}
		compared++
	}
	assert.Greater(t, compared, 25)
}

func TestHeader(t *testing.T) {
	for name, want := range lanetest.Goldens[golden](t) {
		h, err := gif.ReadHeader(lanetest.Read(t, name))
		require.NoError(t, err)
		assert.Equal(t, []int{want.Width, want.Height, len(want.Frames), want.Loops},
			[]int{h.Width, h.Height, h.Frames, h.Loops}, name)
		sum := 0
		for _, f := range want.Frames {
			sum += f.Delay
		}
		assert.Equal(t, time.Duration(sum)*time.Millisecond, h.Duration, name)
		assert.False(t, h.Cut, name)
	}
}
