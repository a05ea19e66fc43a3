package codec

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/floor/media"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/resize"
)

// MediaCodecs returns FFmpeg's names of the video and audio codecs that can be measured.
func MediaCodecs() []string {
	return []string{"aac", "av1", "flac", "h264", "hevc", "mp3", "opus", "vp9"}
}

// Media measures a video or audio codec. It must not be used concurrently.
type Media struct {
	codec   string
	rounds  int
	decoder *decoders.Set
	files   []mediaFile // added, and not yet measured
	steps   []mediaStep // the floor first
	tallies []stepTally
}

// mediaStep is a step for a whole file, including opening it.
type mediaStep struct {
	name   string
	engine string
	run    func(ctx context.Context, path string) error
}

// mediaFile is a file that is measured.
type mediaFile struct {
	path   string
	pixels int // of all frames
}

// NewMedia makes a bench for a codec, which runs each step on each file once a round. Resized frames are size x size
// pixels. Close releases the bench.
func NewMedia(codec string, size, rounds int) (*Media, error) {
	if !slices.Contains(MediaCodecs(), codec) {
		return nil, fmt.Errorf("%w: no codec %q", spool.ErrOptions, codec)
	}
	d, err := decoders.New(decoders.Options{})
	if err != nil {
		return nil, err
	}
	m := &Media{codec: codec, rounds: rounds, decoder: d}
	if m.kind() == av.Video {
		m.steps = m.videoSteps(size)
	} else {
		m.steps = m.audioSteps()
	}
	m.tallies = make([]stepTally, len(m.steps))
	return m, nil
}

func (m *Media) kind() av.Kind {
	if slices.Contains([]string{"h264", "hevc", "vp9", "av1"}, m.codec) {
		return av.Video
	}
	return av.Audio
}

// Close releases what the bench holds.
func (m *Media) Close() error { return m.decoder.Close() }

func (m *Media) floor(name string, rgb bool) mediaStep {
	return mediaStep{name, "FFmpeg " + av.Version(), func(_ context.Context, path string) error {
		var err error
		if m.kind() == av.Video {
			_, err = media.Video(path, rgb)
		} else {
			_, err = media.Audio(path)
		}
		return err
	}}
}

// videoSteps returns FFmpeg's own loop, to planes and by swscale to RGB, and our steps: opening, and every frame to
// RGB.
func (m *Media) videoSteps(size int) []mediaStep {
	frames := func(name string, s resize.Spec) mediaStep {
		return mediaStep{name, "spool", func(ctx context.Context, path string) error {
			v, err := m.decoder.Videos.Open(ctx, spool.File(path), video.OpenOptions{NoIndex: true})
			if err != nil {
				return err
			}
			defer func() { _ = v.Close() }() // never fails
			for clip, err := range v.Chunks(ctx, 32, video.Spec{Resize: s}) {
				if err != nil {
					return err
				}
				clip.Release()
			}
			return nil
		}}
	}
	return []mediaStep{
		m.floor("bare-planes", false),
		m.floor("bare-rgb", true),
		{"open", "spool", func(ctx context.Context, path string) error {
			v, err := m.decoder.Videos.Open(ctx, spool.File(path), video.OpenOptions{NoIndex: true})
			if err != nil {
				return err
			}
			return v.Close()
		}},
		frames("decode", resize.Spec{}),
		frames("decode+exact", resize.Spec{Width: size, Height: size}),
		frames("decode+fast", resize.Spec{Width: size, Height: size, Profile: resize.Fast}),
	}
}

// audioSteps returns FFmpeg's own loop to samples, and our steps: to float32, and to 16 kHz in one channel. FLAC also
// has a step for our engine alone.
func (m *Media) audioSteps() []mediaStep {
	read := func(name string, s audio.Spec) mediaStep {
		return mediaStep{name, "spool", func(ctx context.Context, path string) error {
			a, err := m.decoder.Audios.Open(ctx, spool.File(path), audio.OpenOptions{})
			if err != nil {
				return err
			}
			defer func() { _ = a.Close() }() // never fails
			samples, err := a.Read(ctx, s)
			if err == nil {
				samples.Release()
			}
			return err
		}}
	}
	steps := []mediaStep{m.floor("bare", false)}
	if m.codec == "flac" {
		steps = append(steps, mediaStep{"own", "spool", ownFLAC})
	}
	return append(steps,
		read("decode", audio.Spec{}),
		read("decode+16k", audio.Spec{Rate: 16000, Channels: 1}),
		read("decode+16k-fast", audio.Spec{Rate: 16000, Channels: 1, Quality: audio.FastQuality}))
}

// Add verifies a file, to be measured. A file of another codec is refused, and so is a video with another number of
// frames than FFmpeg's own loop finds.
func (m *Media) Add(ctx context.Context, path string) error {
	var pixels int
	var err error
	if m.kind() == av.Video {
		pixels, err = m.checkVideo(ctx, path)
	} else {
		err = m.checkAudio(ctx, path)
	}
	if err == nil {
		m.files = append(m.files, mediaFile{path, pixels})
	}
	return err
}

// Measure measures the added files.
func (m *Media) Measure(ctx context.Context) error {
	fastest, err := turns(m.rounds, len(m.steps), len(m.files), func(i, k int) error {
		return spool.InFile(m.steps[i].run(ctx, m.files[k].path), m.files[k].path)
	})
	if err != nil {
		return err
	}
	for k, f := range m.files {
		for i, took := range fastest[k] {
			t := &m.tallies[i]
			t.took += took
			t.floor += fastest[k][0]
			t.pixels += f.pixels
			t.items++
		}
	}
	m.files = nil
	return nil
}

// checkVideo returns the number of pixels of all frames.
func (m *Media) checkVideo(ctx context.Context, path string) (pixels int, err error) {
	v, err := m.decoder.Videos.Open(ctx, spool.File(path), video.OpenOptions{NoIndex: true})
	if err != nil {
		return 0, err
	}
	defer func() { _ = v.Close() }() // never fails
	i := v.Info()
	if i.Codec != m.codec {
		return 0, m.other(path, i.Codec)
	}
	bare, err := media.Video(path, false)
	if err != nil {
		return 0, err
	}
	if bare != int64(v.Len()) {
		return 0, &spool.Error{Op: "bench", File: path, Class: spool.ErrCorrupt,
			Text: fmt.Sprintf("%d frames where FFmpeg's own loop finds %d", v.Len(), bare)}
	}
	return v.Len() * i.Width * i.Height, nil
}

func (m *Media) checkAudio(ctx context.Context, path string) error {
	a, err := m.decoder.Audios.Open(ctx, spool.File(path), audio.OpenOptions{})
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }() // never fails
	if codec := a.Info().Codec; codec != m.codec {
		return m.other(path, codec)
	}
	return nil
}

func (m *Media) other(path, codec string) error {
	return &spool.Error{Op: "bench", File: path, Class: spool.ErrUnsupported,
		Text: fmt.Sprintf("%s where %s is measured", codec, m.codec)}
}

// Results returns all steps over the measured files, with the floor first.
func (m *Media) Results() (all []Result) {
	for i, t := range m.tallies {
		if t.items == 0 {
			return nil
		}
		r := Result{Codec: m.codec, Step: m.steps[i].name, Items: t.items, Engine: m.steps[i].engine,
			FloorRatio: t.took.Seconds() / t.floor.Seconds()}
		if t.pixels > 0 && r.Step != "open" {
			r.NsPerPixel = t.took.Seconds() * 1e9 / float64(t.pixels)
		} else {
			r.UsPerItem = float64(t.took) / float64(time.Microsecond) / float64(t.items)
		}
		all = append(all, r)
	}
	return all
}
