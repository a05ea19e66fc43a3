package encode

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/internal/invalid"
)

// Options describe a file: with video, audio, or both.
type Options struct {
	Video *Video
	Audio *Audio

	// Format is FFmpeg's name for the container ("mp4", "matroska", "webm", "wav", "flac"); empty: by the extension of the
	// file's name. FormatOptions are options of the container ("movflags": "faststart").
	Format        string
	FormatOptions map[string]string
}

// Validate reports every invalid option, each as a *spool.OptionError.
func (o Options) Validate() error {
	var bad invalid.Options
	if o.Video == nil && o.Audio == nil {
		bad.Addf("neither video nor audio")
	}
	if o.Video != nil {
		bad.Add(o.Video.validate())
	}
	if o.Audio != nil {
		bad.Add(o.Audio.validate())
	}
	return bad.Err()
}

// Writer writes a file of video, audio or both. It is for one goroutine at a time.
type Writer struct {
	options   Options
	container av.Container
	output    *output
	name      string // for errors
	muxer     *av.Muxer
	packet    *av.Packet
	video     *track // nil without video
	audio     *track
	next      int64 // in ticks: the earliest time for the next frame
	failed    bool  // after an error: the file is unusable
	finished  bool
}

// track is a stream of the file.
type track struct {
	encoder *av.Encoder
	stream  int
	hasData bool // it has a frame or a sample
}

// Create begins a file. The file appears under its path when it is finished; an existing file stays until then.
//
//	Ownership: the caller owns the writer and MUST Close it.
//	Errors:    ErrOptions, with all problems at once; ErrUnsupported for a format or an encoder that this FFmpeg lacks
//	           (the text lists those that it has), or that do not fit together; ErrNotFound, ErrPermission, ErrNotAFile,
//	           ErrIO.
//	Cost:      1 to 50 ms, depending on the codec.
func Create(ctx context.Context, path string, o Options) (*Writer, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	container, err := av.ContainerOf(o.Format, path)
	if err != nil {
		return nil, spool.InFile(err, path)
	}
	out, err := begin(path)
	if err != nil {
		return nil, err
	}
	return open(ctx, &Writer{options: o, container: container, output: out, name: path})
}

// New is Create for a file in memory, which Finish writes to w as a whole. Options.Format must be set.
func New(ctx context.Context, w io.Writer, o Options) (*Writer, error) {
	return newWriter(ctx, &output{writer: w}, o)
}

// NewStream is New for a file that is written to w during encoding, in bounded memory. Each encoding call ends with a
// Write of the data that are ready. The muxer cannot seek back: Matroska and WebM have neither an index nor a duration,
// WAV and FLAC have no length, and MP4 and MOV are fragmented. Their fragments begin with key frames, or hold one
// second if there is only audio. The encoder's delay of audio is before time 0 in them. An error of w is returned and
// makes the file unusable, like a failed write to a file. The data in w are incomplete then.
func NewStream(ctx context.Context, w io.Writer, o Options) (*Writer, error) {
	return newWriter(ctx, &output{writer: w, streamed: true}, o)
}

func newWriter(ctx context.Context, out *output, o Options) (*Writer, error) {
	var bad invalid.Options
	bad.Add(o.Validate())
	if out.writer == nil {
		bad.Addf("no writer")
	}
	if o.Format == "" {
		bad.Addf("output to an io.Writer needs a format")
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	container, err := av.ContainerOf(o.Format, "")
	if err != nil {
		return nil, err
	}
	return open(ctx, &Writer{options: o, container: container, output: out})
}

func open(ctx context.Context, w *Writer) (*Writer, error) {
	err := w.open(ctx)
	if err == nil {
		return w, nil
	}
	return nil, errors.Join(w.fault(ctx, err), w.Close())
}

func (w *Writer) open(ctx context.Context) error {
	c, err := call.Enter(ctx, w.weight())
	if err != nil {
		return err
	}
	defer c.Leave()
	if w.packet, err = av.NewPacket(); err != nil {
		return err
	}
	if w.output.streamed {
		w.muxer, err = av.NewStreamMuxer(c, w.container.Name)
	} else {
		w.muxer, err = av.NewMuxer(c, w.container.Name, w.output.temporary)
	}
	if err != nil {
		return err
	}
	var problems []error
	if v := w.options.Video; v != nil {
		w.video, err = w.add(c, v.encoding(&w.container), av.Video)
		problems = append(problems, err)
	}
	if a := w.options.Audio; a != nil {
		w.audio, err = w.add(c, a.encoding(&w.container), av.Audio)
		problems = append(problems, err)
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	return w.muxer.Begin(c, w.formatOptions())
}

// formatOptions are the container's options, including those that streaming needs.
func (w *Writer) formatOptions() map[string]string {
	o := w.options.FormatOptions
	if !w.output.streamed || !slices.Contains([]string{"mp4", "mov", "ipod", "3gp", "3g2", "psp", "f4v"},
		w.container.Name) {
		return o
	}
	o = withDefault(o, "movflags", "frag_keyframe+empty_moov+delay_moov+default_base_moof")
	if w.options.Video == nil {
		o = withDefault(o, "frag_duration", "1000000") // in microseconds
	}
	return o
}

// add opens an encoder for the container.
func (w *Writer) add(c *call.Call, e av.Encoding, kind av.Kind) (*track, error) {
	if e.Codec == "" {
		return nil, &spool.Error{Op: "write", Class: spool.ErrUnsupported,
			Text: fmt.Sprintf("%s has no %v", w.container.Name, kind)}
	}
	encoder, err := av.NewEncoder(c, e)
	if err != nil {
		return nil, err
	}
	stream, err := w.muxer.AddEncoder(encoder)
	if err != nil {
		return nil, errors.Join(err, encoder.Close())
	}
	return &track{encoder: encoder, stream: stream}, nil
}

// weight is the number of threads that a call uses.
func (w *Writer) weight() int64 {
	if w.options.Video == nil {
		return 1
	}
	return int64(max(w.options.Video.Threads, 1))
}

// run runs an encoding call. After an error the file is unusable.
func (w *Writer) run(ctx context.Context, work func(c *call.Call) error) error {
	if w.muxer == nil || w.failed || w.finished {
		return fmt.Errorf("encode: writer: %w", spool.ErrClosed)
	}
	c, err := call.Enter(ctx, w.weight())
	if err != nil {
		return w.fault(ctx, err)
	}
	var ready []byte
	if err = work(c); err == nil && w.output.streamed && !w.finished {
		ready, err = w.muxer.Take(c)
	}
	c.Leave() // the writer may be slow
	if err == nil {
		err = w.output.deliver(ready)
	}
	w.failed = err != nil
	return w.fault(ctx, err)
}

// receive writes the packets that are ready.
func (w *Writer) receive(c *call.Call, t *track) error {
	for {
		ok, err := t.encoder.Receive(c, w.packet)
		if err != nil || !ok {
			return err
		}
		if err := w.muxer.Write(c, t.stream, t.encoder.TimeBase(), w.packet); err != nil {
			return err
		}
	}
}

// Finish writes what the encoders still buffer, and completes the file, which then appears under its path. Nothing can
// be written after it.
//
//	Errors: ErrEmpty for a file without a frame or sample; else those of Frames.
func (w *Writer) Finish(ctx context.Context) error {
	var data []byte
	err := w.run(ctx, func(c *call.Call) (err error) {
		if !w.hasData() {
			return &spool.Error{Op: "write", Class: spool.ErrEmpty, Text: "nothing was written"}
		}
		if err := w.drain(c); err != nil {
			return err
		}
		data, err = w.muxer.Finish(c)
		w.finished = err == nil
		return err
	})
	if err != nil {
		return err
	}
	return w.fault(ctx, w.output.finish(data))
}

func (w *Writer) hasData() bool {
	return w.video != nil && w.video.hasData || w.audio != nil && w.audio.hasData
}

func (w *Writer) drain(c *call.Call) error {
	if w.audio != nil {
		if err := w.step(c, true); err != nil {
			return err
		}
	}
	for _, t := range []*track{w.video, w.audio} {
		if t == nil {
			continue
		}
		if err := t.encoder.Drain(c); err != nil {
			return err
		}
		if err := w.receive(c, t); err != nil {
			return err
		}
	}
	return nil
}

// Close frees the writer. It removes the file if it is not finished. A second Close does nothing.
func (w *Writer) Close() error {
	if w.muxer != nil {
		_ = w.muxer.Close() // always nil
		w.muxer = nil
	}
	for _, t := range []**track{&w.video, &w.audio} {
		if *t != nil {
			_ = (*t).encoder.Close() // always nil
			*t = nil
		}
	}
	if w.packet != nil {
		w.packet.Release()
		w.packet = nil
	}
	return spool.InFile(w.output.discard(), w.name)
}

// fault adds the file's name to an error, and a class to a context's error.
func (w *Writer) fault(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = &spool.Error{Op: "encode", Class: spool.ClassOf(err), Text: "stopped", Err: err}
	}
	if w.name == "" {
		return err
	}
	return spool.InFile(err, w.name)
}
