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
)

// Options say what a file is made of: a video, a sound, or both.
type Options struct {
	Video *Video
	Audio *Audio

	// Format is FFmpeg's name for the container ("mp4", "matroska", "webm", "wav", "flac"); empty: by the ending of the file's
	// name. FormatOptions are the container's own ("movflags": "faststart").
	Format        string
	FormatOptions map[string]string
}

// Validate reports all that is wrong with the options, as ErrOptions.
func (o Options) Validate() error {
	var problems []error
	if o.Video == nil && o.Audio == nil {
		problems = append(problems, fmt.Errorf("%w: neither video nor audio", spool.ErrOptions))
	}
	if o.Video != nil {
		problems = append(problems, o.Video.validate())
	}
	if o.Audio != nil {
		problems = append(problems, o.Audio.validate())
	}
	return errors.Join(problems...)
}

// Writer writes a file of video, sound or both. It belongs to one goroutine at a time.
type Writer struct {
	options   Options
	container av.Container
	output    *output
	name      string // as errors name it
	muxer     *av.Muxer
	packet    *av.Packet
	video     *track // nil without
	audio     *track
	next      int64 // ticks: the first time that is left for a frame
	failed    bool  // what is written is no use any more
	finished  bool
}

// track is a stream on its way to the file.
type track struct {
	encoder *av.Encoder
	stream  int
	given   bool // something has been
}

// Create begins a file. It gets its name when it is finished; one that has the name already stays until then.
//
//	Ownership: the caller owns the writer and MUST Close it.
//	Errors:    ErrOptions, all problems at once; ErrUnsupported for a format or an encoder that this FFmpeg lacks (the text says
//	           what there is), or that do not go together; ErrNotFound, ErrPermission, ErrNotAFile, ErrIO.
//	Cost:      1 to 50 ms by codec.
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

// New is Create for a file that is kept in memory and written to w by Finish, all at once. Options.Format has to be set.
func New(ctx context.Context, w io.Writer, o Options) (*Writer, error) {
	return newWriter(ctx, &output{writer: w}, o)
}

// NewStream is New for a file that is written to w as it comes, in memory that does not grow: each call that encodes ends with
// a Write of what has become ready. A container cannot go back in it then: Matroska and WebM have neither an index nor
// a duration, WAV and FLAC no length, and MP4 and MOV come in fragments that begin with key frames, or of a second of
// sound alone, where the encoder's delay lies before time 0. An error of w comes back, and is the end, as a failed write
// to a file is. What w has by then is no whole file.
func NewStream(ctx context.Context, w io.Writer, o Options) (*Writer, error) {
	return newWriter(ctx, &output{writer: w, streamed: true}, o)
}

func newWriter(ctx context.Context, out *output, o Options) (*Writer, error) {
	problems := []error{o.Validate()}
	if out.writer == nil {
		problems = append(problems, fmt.Errorf("%w: no writer", spool.ErrOptions))
	}
	if o.Format == "" {
		problems = append(problems, fmt.Errorf("%w: a file without a name needs a format", spool.ErrOptions))
	}
	if err := errors.Join(problems...); err != nil {
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

// formatOptions are the container's, with what it needs to be streamed.
func (w *Writer) formatOptions() map[string]string {
	o := w.options.FormatOptions
	if !w.output.streamed || !slices.Contains([]string{"mp4", "mov", "ipod", "3gp", "3g2", "psp", "f4v"}, w.container.Name) {
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
		return nil, &spool.Error{Op: "write", Class: spool.ErrUnsupported, Text: fmt.Sprintf("%s has no %v", w.container.Name, kind)}
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

// weight is the number of threads that a call keeps busy.
func (w *Writer) weight() int64 {
	if w.options.Video == nil {
		return 1
	}
	return int64(max(w.options.Video.Threads, 1))
}

// run is a call that encodes. One that fails leaves a file that cannot become whole.
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
	c.Leave() // the writer may take its time
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

// Finish writes what the encoders still hold and completes the file, which then has its name. Nothing can be written after it.
//
//	Errors: ErrEmpty for a file without any frame or sample; else as Frames.
func (w *Writer) Finish(ctx context.Context) error {
	var data []byte
	err := w.run(ctx, func(c *call.Call) (err error) {
		if !w.any() {
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

func (w *Writer) any() bool {
	return w.video != nil && w.video.given || w.audio != nil && w.audio.given
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

// Close frees the writer, and removes the file when it was not finished. A second Close does nothing.
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

// fault gives an error the file's name, and the end of a context a class.
func (w *Writer) fault(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = &spool.Error{Op: "encode", Class: spool.ClassOf(err), Text: "stopped", Err: err}
	}
	if w.name == "" {
		return err
	}
	return spool.InFile(err, w.name)
}
