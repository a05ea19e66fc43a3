package video_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/resize"
)

// A packet of damaged.mp4 is noise: its frame, and the frames that refer to it, are refused, marked or replaced.
func TestDamagedVideo(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	v := decodetest.OpenVideo(t, d, spool.File(filepath.Join(media, "video", "damaged.mp4")), video.OpenOptions{})
	good := decodetest.OpenVideo(t, d, spool.File(filepath.Join(media, "video", "bframes.mp4")), video.OpenOptions{})
	want, _ := whole(t, good, small)
	all := make([]int, v.Len())
	for i := range all {
		all[i] = i
	}
	spec := small
	got, report := decodetest.Frames(t, v, all, spec)
	require.NotEmpty(t, report.Damage)
	size := len(got) / len(all)
	hit := []int{}
	for n, f := range report.Frames {
		if f.State == video.Whole {
			require.Equal(t, want[n], got[n*size:][:size], "frame %d", n)
		} else {
			hit = append(hit, n)
		}
	}
	require.NotEmpty(t, hit)
	require.Less(t, len(hit), 9, "no further than the GOP")
	t.Logf("damage %+v in frames %v", report.Damage, hit)

	spec.OnDamage = decode.FailOnDamage
	_, err := v.Frames(ctx, all, spec)
	require.ErrorIs(t, err, spool.ErrCorrupt)
	assert.ErrorContains(t, err, fmt.Sprintf("frame %d ", hit[0]))
	for n, f := range report.Frames {
		_, err := v.FramesInto(ctx, make([]byte, size), []int{n}, spec)
		if f.State == video.Whole {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, spool.ErrCorrupt)
		assert.ErrorContains(t, err, fmt.Sprintf("frame %d ", n))
	}

	spec.OnDamage = decode.RepeatOnDamage
	got, report = decodetest.Frames(t, v, all, spec)
	for _, n := range hit {
		require.Equal(t, video.Repeated, report.Frames[n].State, "frame %d", n)
		require.Equal(t, want[hit[0]-1], got[n*size:][:size], "the last whole frame")
	}
}

// Frames with lost packets do not affect frames that can be decoded.
func TestFillAndRepeatAtTheFront(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	data := decodetest.ReadFile(t, media, "video", "bframes.mp4")
	v := decodetest.OpenVideo(t, d, spool.Bytes{Data: data}, video.OpenOptions{})
	first := v.Index().Packets[v.Index().PacketOf(0)]
	data = bytes.Clone(data)
	clear(data[first.Pos:][:first.Size])
	broken := decodetest.OpenVideo(t, d, spool.Bytes{Data: data}, video.OpenOptions{})
	spec := small
	spec.OnDamage, spec.Fill = decode.RepeatOnDamage, &decode.RGB8{R: 200, G: 100, B: 50}
	got, report := decodetest.Frames(t, broken, []int{0}, spec)
	assert.Equal(t, video.Missing, report.Frames[0].State)
	assert.Equal(t, bytes.Repeat([]byte{200, 100, 50}, len(got)/3), got)
}

// Frames of another size are resized to the requested size; without one the error names the frame.
func TestSizeThatChanges(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	v := decodetest.OpenVideo(t, d, spool.File(filepath.Join(media, "video", "resized.ts")), video.OpenOptions{})
	pixels, states := whole(t, v, small)
	assert.Len(t, pixels, v.Len())
	assert.NotContains(t, states, video.Missing)
	for _, profile := range []resize.Profile{resize.Exact, resize.Fast} {
		spec := video.Spec{Resize: resize.Spec{Width: 64, Height: 48, Profile: profile}, OnDamage: decode.MarkDamage}
		_, report := decodetest.Frames(t, v, []int{0, v.Len() - 1}, spec)
		assert.Equal(t, spool.Shape{2, 48, 64, 3}, report.Desc.Shape)
	}
	_, err := v.Frames(ctx, []int{0, v.Len() - 1}, video.Spec{OnDamage: decode.MarkDamage})
	require.ErrorIs(t, err, spool.ErrUnsupported)
	assert.ErrorContains(t, err, fmt.Sprintf("frame %d is of [64 96 3]", v.Len()-1))
}

// A rotation moves the pixels, and changes nothing else.
func TestRotation(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	flat := decodetest.OpenVideo(t, d, spool.File(filepath.Join(media, "video", "bframes.mp4")), video.OpenOptions{})
	v := decodetest.OpenVideo(t, d, spool.File(filepath.Join(media, "video", "turned.mp4")), video.OpenOptions{})
	stored, report := decodetest.Frames(t, flat, []int{7}, video.Spec{})
	h, w := report.Desc.Shape[1], report.Desc.Shape[2]
	for _, profile := range []resize.Profile{resize.Exact, resize.Fast} {
		got, turned := decodetest.Frames(t, v, []int{7}, video.Spec{Resize: resize.Spec{Profile: profile}})
		require.Equal(t, spool.Shape{1, w, h, 3}, turned.Desc.Shape)
		require.Contains(t, []int{6, 8}, v.Info().Orientation)
		want := make([]byte, len(got))
		for y := range h {
			for x := range w {
				to := (w-1-x)*h + y // counter-clockwise
				if v.Info().Orientation == 6 {
					to = x*h + h - 1 - y
				}
				copy(want[to*3:][:3], stored[(y*w+x)*3:])
			}
		}
		require.Equal(t, want, got)
		same, _ := decodetest.Frames(t, v, []int{7}, video.Spec{Stored: true, Resize: resize.Spec{Profile: profile}})
		require.Equal(t, stored, same)
	}
}

// The crop of a clip is drawn once, from the upright size.
func TestDrawOnce(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	v := decodetest.OpenVideo(t, d, spool.File(filepath.Join(media, "video", "turned.mp4")), video.OpenOptions{})
	drawn := 0
	spec := video.Spec{Draw: func(width, height int) (resize.Spec, error) {
		drawn++
		assert.Equal(t, [2]int{48, 64}, [2]int{width, height})
		return resize.Spec{Box: resize.Rect{Left: 4, Top: 8, Width: 20, Height: 30}, FlipX: true}, nil
	}}
	got, report := decodetest.Frames(t, v, []int{1, 12}, spec)
	assert.Equal(t, 1, drawn)
	assert.Equal(t, spool.Shape{2, 30, 20, 3}, report.Desc.Shape)
	assert.Equal(t, resize.Region{Left: 4, Top: 8, Width: 20, Height: 30}, report.Region)
	assert.True(t, report.FlipX)
	full, _ := decodetest.Frames(t, v, []int{12}, video.Spec{})
	for y := range 30 {
		for x := range 20 {
			require.Equal(t, full[((y+8)*48+4+19-x)*3:][:3], got[30*20*3+(y*20+x)*3:][:3])
		}
	}
}

// Gathered requests give the same frames as each request alone, whatever they share, and decode less.
func TestGather(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	rng := rand.New(rand.NewPCG(5, 0))
	names := []string{"bframes.mp4", "opengop.mp4", "vfr.mp4", "raw.h264"}
	var open []*video.Video
	for _, name := range names {
		open = append(open, decodetest.OpenVideo(t, d, spool.File(filepath.Join(media, "video", name)), video.OpenOptions{}))
	}
	if _, err := os.Stat(shared); err == nil { // long enough for several workers
		for _, name := range []string{"torchcodec/nasa_13013.mp4", "video/vp9.webm", "video/hevc_opengop.mp4"} {
			open = append(open, decodetest.OpenVideo(t, d, spool.File(filepath.Join(shared, name)), video.OpenOptions{}))
		}
	}
	for range short.Of(20, 5) {
		var requests []video.Request
		for range 8 {
			r := video.Request{Video: open[rng.IntN(len(open))],
				Spec: video.Spec{Resize: resize.Spec{Width: 20 + rng.IntN(20), Height: 30, Profile: resize.Profile(rng.IntN(3))}}}
			for range 1 + rng.IntN(5) {
				r.Frames = append(r.Frames, rng.IntN(r.Video.Len()))
			}
			desc, err := r.Video.Sample(len(r.Frames), r.Spec)
			require.NoError(t, err)
			n, _ := desc.Bytes()
			r.Dst = make([]byte, n)
			requests = append(requests, r)
		}
		answers := video.Gather(ctx, requests)
		for i, r := range requests {
			require.NoError(t, answers[i].Err)
			want, report := decodetest.Frames(t, r.Video, r.Frames, r.Spec)
			require.Equal(t, want, r.Dst, "%+v", r.Frames)
			require.Equal(t, report.Frames, answers[i].Report.Frames)
		}
	}
}

// A bad request does not fail the others.
func TestGatherRefuses(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	v := decodetest.OpenVideo(t, d, spool.File(filepath.Join(media, "video", "bframes.mp4")), video.OpenOptions{})
	changes := decodetest.OpenVideo(t, d, spool.File(filepath.Join(media, "video", "resized.ts")), video.OpenOptions{})
	own, sized := make([]byte, 48*64*3), make([]byte, 30*40*3)
	last := []int{changes.Len() - 1}
	answers := video.Gather(ctx, []video.Request{
		{Video: v, Dst: own, Frames: []int{3}},
		{Video: v, Dst: own[:7], Frames: []int{3}},
		{Video: v, Dst: own, Frames: []int{99}},
		{Video: changes, Dst: own, Frames: last, Spec: video.Spec{OnDamage: decode.MarkDamage}},
		{Video: changes, Dst: sized, Frames: last, Spec: small},
	})
	for i, class := range []error{nil, spool.ErrShape, spool.ErrNoSuchFrame, spool.ErrUnsupported, nil} {
		require.ErrorIs(t, answers[i].Err, class, "%d", i)
	}
}

// Samples of more than 8 bits are kept on request: the uint8 result is close to their high byte.
func TestDeepVideo(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, name := range []string{"deep.mp4", "hdr.mp4"} {
		v := decodetest.OpenVideo(t, d, spool.File(filepath.Join(media, "video", name)), video.OpenOptions{})
		for _, profile := range []resize.Profile{resize.Exact, resize.Fast} {
			spec := video.Spec{Resize: resize.Spec{Width: 32, Height: 24, Profile: profile}}
			bytes8, _ := decodetest.Frames(t, v, []int{4}, spec)
			spec.DType = spool.Uint16
			words, report := decodetest.Frames(t, v, []int{4}, spec)
			require.Equal(t, spool.Uint16, report.Desc.DType)
			levels := map[uint16]bool{}
			sum := 0
			for i := range bytes8 {
				word := uint16(words[2*i]) | uint16(words[2*i+1])<<8
				levels[word] = true
				sum += max(int(word/257), int(bytes8[i])) - min(int(word/257), int(bytes8[i]))
			}
			spec.DType = spool.Float32
			floats, _ := decodetest.Frames(t, v, []int{4}, spec)
			for i := range bytes8 {
				word := binary.NativeEndian.Uint16(words[2*i:])
				float := math.Float32frombits(binary.NativeEndian.Uint32(floats[4*i:]))
				require.InDelta(t, float64(word)/65535, float, 1e-6)
			}
			assert.Greater(t, len(levels), 600, "%s: more than 8 bits", name)
			assert.Less(t, float64(sum)/float64(len(bytes8)), 2.5, name)
		}
	}
}
