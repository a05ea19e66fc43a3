package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/encode"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source/pack"
)

// videoTranscoding is how videos change.
type videoTranscoding struct {
	codec   string // empty: they stay as they are
	gop     int
	quality int // on the encoder's scale; 0: its default here

	encoders []videoEncoder // those that there are
}

// videoEncoder is an encoder, and how it is told what to do. It uses one thread, on which the bytes may depend.
type videoEncoder struct {
	name    string
	quality int // the default
	worst   int
	least   int // the shortest side of a frame
	options func(quality int) map[string]string
}

// constant returns the options of an encoder with a constant rate factor.
func constant(more map[string]string) func(quality int) map[string]string {
	return func(quality int) map[string]string {
		o := maps.Clone(more)
		o["crf"] = strconv.Itoa(quality)
		return o
	}
}

// videoEncoders are those of each codec, in the order in which they are chosen.
var videoEncoders = map[string][]videoEncoder{
	// With mbtree, the bytes of libx264 164 depend on memory that it does not initialize, on CPUs with AVX-512.
	"h264": {{"libx264", 23, 51, 0, constant(map[string]string{"mbtree": "0", "sc_threshold": "0"})}},
	"av1": {
		{"libsvtav1", 35, 63, 64, constant(map[string]string{"preset": "8", "svtav1-params": "lp=1", "flags": "+cgop"})},
		{"libaom-av1", 35, 63, 0, constant(map[string]string{"b": "0", "cpu-used": "8"})},
	},
	"vp9": {{"libvpx-vp9", 32, 63, 0, constant(map[string]string{"b": "0", "cpu-used": "4"})}},
	"mpeg4": {{"mpeg4", 4, 31, 0, func(quality int) map[string]string {
		return map[string]string{"flags": "+qscale", "global_quality": strconv.Itoa(quality * lambda)}
	}}},
}

// lambda is FFmpeg's unit of global_quality: FF_QP2LAMBDA.
const lambda = 118

func (v *videoTranscoding) define(f *cli.Flags) {
	f.Add("video-codec", "h264|av1|vp9|mpeg4", "", "decode videos and encode them by this codec, in MP4",
		func(text string) error {
			if _, ok := videoEncoders[text]; !ok {
				return fmt.Errorf("must be h264, av1, vp9 or mpeg4")
			}
			v.codec = text
			return nil
		})
	f.Number("gop", &v.gop, "16", 1, "frames from one key frame to the next, with --video-codec")
	f.Number("crf", &v.quality, "", 1, "quality on the encoder's scale, with --video-codec: 23 for h264, 35 for av1, "+
		"32 for vp9 and 4 for mpeg4 without it")
}

func (v *videoTranscoding) judge(f *cli.Flags) {
	if v.codec == "" {
		for _, name := range []string{"gop", "crf"} {
			if f.Given(name) {
				f.Refuse("--%s needs --video-codec", name)
			}
		}
		return
	}
	if worst := videoEncoders[v.codec][0].worst; v.quality > worst {
		f.Refuse("--crf must be from 1 to %d with %s", worst, v.codec)
	}
}

func (v *videoTranscoding) name(size resize.Spec, audio audioTranscoding) string {
	return fmt.Sprintf("videos %+v to %s, %d, of %d, with %s", size, v.codec, v.gop, v.quality, audio.name())
}

// choose finds the encoders of the codec.
func (v *videoTranscoding) choose() error {
	if v.codec == "" {
		return nil
	}
	there := av.Encoders(av.Video, "mp4")
	for _, e := range videoEncoders[v.codec] {
		if slices.Contains(there, e.name) {
			v.encoders = append(v.encoders, e)
		}
	}
	if v.encoders == nil {
		return noEncoder(v.codec, av.Video, there)
	}
	return nil
}

// encoder returns the encoder for frames of a size.
func (v *videoTranscoding) encoder(width, height int) videoEncoder {
	i := slices.IndexFunc(v.encoders, func(e videoEncoder) bool { return min(width, height) >= e.least })
	return v.encoders[max(i, 0)]
}

// noEncoder says which encoders there are in place of a missing one.
func noEncoder(codec string, kind av.Kind, there []string) error {
	return &spool.Error{Op: "pack", Class: spool.ErrUnsupported, Text: fmt.Sprintf("this build has no encoder of %s that "+
		"packs use; its encoders of %v are %s", codec, kind, strings.Join(there, ", "))}
}

// options are those of an encoder.
func (v *videoTranscoding) options(e videoEncoder) map[string]string {
	o := e.options(cmp.Or(v.quality, e.quality))
	o["g"] = strconv.Itoa(v.gop)
	o["keyint_min"] = o["g"]
	return o
}

// video encodes a video, or the part that a sample is.
func (t *transcoding) video(ctx context.Context, f pack.File) (data []byte, ext string, err error) {
	if t.videos.codec == "" {
		return nil, "", nil
	}
	var open video.OpenOptions
	if f.Part != nil {
		open.Stream = f.Part.Stream
	}
	v, err := t.decoders.Videos.Open(ctx, f.Object, open)
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	c := clip{video: v, index: v.Index()}
	if err := c.find(f); err != nil {
		return nil, "", err
	}
	if c.spec, err = t.evenly(v); err != nil {
		return nil, "", err
	}
	data, err = t.clip(ctx, f, c)
	return data, "mp4", err
}

// clip is the frames of a video that are packed.
type clip struct {
	video    *video.Video
	index    *index.Index
	first, n int
	spec     video.Spec
}

// find finds the frames.
func (c *clip) find(f pack.File) (err error) {
	if c.index == nil || c.index.Len() == 0 {
		return &spool.Error{Op: "pack", Class: spool.ErrEmpty, Text: "has no frame"}
	}
	if c.n = c.index.Len(); f.Part != nil {
		c.first, c.n, err = c.index.Segment(f.Part.Start, f.Part.End, index.Slack)
	}
	return err
}

// start and end are the times of the frames, by the container's clock.
func (c *clip) start() float64 { return c.index.Time(c.first) }
func (c *clip) end() float64   { return c.index.End(c.first + c.n - 1) }

// rate returns the frames of a second, and whether each is where that rate puts it.
func (c *clip) rate() (rate float64, steady bool) {
	rate = c.video.Info().Rate
	if !(rate > 0) {
		return 25, false
	}
	for i := range c.n {
		if math.Abs(c.index.Time(c.first+i)-c.start()-float64(i)/rate) > 1.0/1000 {
			return rate, false
		}
	}
	return rate, true
}

// evenly is the size of frames. Where the flags leave a side open, an odd one loses a pixel: most decoders of devices
// know halved chroma only.
func (t *transcoding) evenly(v *video.Video) (video.Spec, error) {
	spec := video.Spec{Resize: t.resize}
	d, err := v.Sample(1, spec)
	if err != nil || t.resize.Width > 0 || t.resize.CropWidth > 0 {
		return spec, err
	}
	h, w := d.Shape[1], d.Shape[2]
	if h%2 > 0 && h > 1 || w%2 > 0 && w > 1 {
		spec.Resize.CropWidth, spec.Resize.CropHeight = max(w&^1, 1), max(h&^1, 1)
	}
	return spec, nil
}

// chunkBytes is about how much memory the frames take that are decoded at a time.
const chunkBytes = 16 << 20

// clip encodes a clip with its sound.
func (t *transcoding) clip(ctx context.Context, f pack.File, c clip) (_ []byte, err error) {
	d, err := c.video.Sample(1, c.spec)
	if err != nil {
		return nil, err
	}
	sound, err := t.soundOf(ctx, f, c)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, sound.close()) }()
	rate, steady := c.rate()
	encoder := t.videos.encoder(d.Shape[2], d.Shape[1])
	to := encode.Options{Format: "mp4", Audio: sound.audio, Video: &encode.Video{Width: d.Shape[2], Height: d.Shape[1],
		Rate: rate, Timed: !steady, Codec: encoder.name, CodecOptions: t.videos.options(encoder)}}
	frames := max(1, chunkBytes/(3*d.Shape[1]*d.Shape[2]))
	return written(ctx, to, func(w *encode.Writer) error {
		for chunk, err := range c.video.ChunksOf(ctx, c.first, c.first+c.n, frames, c.spec) {
			if err != nil {
				return err
			}
			err = c.write(ctx, w, chunk, steady)
			last := chunk.Report.Frames[len(chunk.Report.Frames)-1]
			chunk.Release()
			if err == nil {
				err = sound.until(ctx, w, c.index.End(last.Index)-c.start())
			}
			if err != nil {
				return err
			}
		}
		return sound.until(ctx, w, math.Inf(1))
	})
}

// write writes frames of the clip.
func (c *clip) write(ctx context.Context, w *encode.Writer, chunk *video.Clip, steady bool) error {
	if steady {
		return w.Frames(ctx, chunk.Bytes(), chunk.Desc())
	}
	times := make([]float64, len(chunk.Report.Frames))
	for i, frame := range chunk.Report.Frames {
		times[i] = c.index.Time(frame.Index) - c.start()
	}
	return w.FramesAt(ctx, chunk.Bytes(), chunk.Desc(), times)
}
