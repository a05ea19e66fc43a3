package decode

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
)

// GraphSpec says what a graph of FFmpeg's filters is made of.
type GraphSpec struct {
	// Description is the graph in FFmpeg's language, as its option -filter_complex has it: "[a][b]vstack[out]". Its open
	// ends are inputs and outputs, by their labels; where there is one input it needs none. It is code: some filters read files.
	Description string
	Inputs      []GraphInput

	Color  Color        // of the pixels that outputs give: 8 bits, [h w c]
	DType  spool.DType  // of the samples: Float32, Int16 or Int32; 0 means Float32
	Layout spool.Layout // of the samples: CT or TC; Flat means CT

	// SkipDamage leaves out what a damaged packet would have given. Else damage is an error.
	SkipDamage bool
}

// GraphInput is a stream of a file, or packets that were kept of one.
type GraphInput struct {
	Label   string       // in the description
	Kind    Kind         // KindVideo or KindAudio; empty: video, or what the packets are of
	Object  spool.Object // lent until the graph is closed
	Packets *Packets     // in place of Object; lent until the graph is closed

	// Start and End are a window in seconds by the container's clock: of video the frames that begin in it (see Video.Packets), of
	// sound the samples. Both 0: all. Frames keep their times.
	Start, End float64

	Stream  *int // its number in the file; nil: the best one of its kind
	Threads int  // of the decoder; 0: 1
}

// Graph is a filter graph at work. It belongs to one goroutine at a time. What it decodes is at its stored orientation.
type Graph struct {
	decoder *Decoder
	spec    GraphSpec
	feeds   []*feed
	graph   *av.Graph
	frame   *av.Frame
}

// Filtered is a frame, or a run of samples, that a graph gave. It is owned by who received it, and released once.
type Filtered struct {
	*spool.Buffer         // HWC uint8, or CT or TC
	Output        string  // label of the output
	Kind          Kind    // KindVideo or KindAudio
	PTS           float64 // in seconds; NaN when unknown
	Rate          int     // of samples
}

// Validate reports all that is wrong with the spec, as ErrOptions.
func (s GraphSpec) Validate() error {
	var problems []error
	require := func(ok bool, format string, args ...any) {
		if !ok {
			problems = append(problems, fmt.Errorf("%w: "+format, append([]any{spool.ErrOptions}, args...)...))
		}
	}
	require(s.Description != "", "a graph without a description")
	require(s.Color <= RGBA, "colour %d", s.Color)
	require(s.samples() != "", "samples of %v, %v", s.DType, s.Layout)
	for i, in := range s.Inputs {
		require(in.Kind == "" || in.Kind == KindVideo || in.Kind == KindAudio, "input %d is of kind %q", i, in.Kind)
		require(in.Threads >= 0, "input %d: %d threads", i, in.Threads)
		require(in.Start <= in.End && in.Start >= 0, "input %d: a window from %v to %v", i, in.Start, in.End)
		require(in.Stream == nil || *in.Stream >= 0, "input %d: a negative stream", i)
		if in.Packets == nil {
			require(in.Object != nil, "input %d: neither an object nor packets", i)
		} else {
			require(in.Object == nil && in.Kind == "" && in.Start == 0 && in.End == 0 && in.Stream == nil, "input %d: packets go without an object, a kind, a window and a stream", i)
		}
	}
	return errors.Join(problems...)
}

// pixels is FFmpeg's name for what outputs of video give.
func (s *GraphSpec) pixels() string {
	return [...]string{RGB: "rgb24", BGR: "bgr24", Gray: "gray", RGBA: "rgba"}[s.Color]
}

func (s *GraphSpec) dtype() spool.DType {
	if s.DType == 0 {
		return spool.Float32
	}
	return s.DType
}

// samples is FFmpeg's name for what outputs of sound give, empty where it has none.
func (s *GraphSpec) samples() string {
	name := map[spool.DType]string{spool.Float32: "flt", spool.Int16: "s16", spool.Int32: "s32"}[s.dtype()]
	switch {
	case name == "" || s.Layout != spool.Flat && s.Layout != spool.CT && s.Layout != spool.TC:
		return ""
	case s.Layout == spool.TC:
		return name
	}
	return name + "p"
}

// OpenGraph opens the inputs, decodes a frame of each, and makes the graph.
//
//	Ownership: the caller owns the graph and MUST Close it, before the decoder. Inputs are lent until then.
//	Errors:    ErrOptions, all problems at once, and for a description that FFmpeg does not take or that does not fit the
//	           inputs; those of OpenVideo and OpenAudio.
//	Cost:      opening the inputs; a video with a window is indexed.
func (d *Decoder) OpenGraph(ctx context.Context, spec GraphSpec) (*Graph, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	g := &Graph{decoder: d, spec: spec}
	if err := g.open(ctx); err != nil {
		return nil, errors.Join(ended(ctx, err), g.Close())
	}
	return g, nil
}

func (g *Graph) open(ctx context.Context) error {
	inputs := make([]av.GraphInput, len(g.spec.Inputs))
	for i := range g.spec.Inputs {
		f := &feed{skipDamage: g.spec.SkipDamage}
		g.feeds = append(g.feeds, f)
		if err := f.open(ctx, g.decoder, &g.spec.Inputs[i]); err != nil {
			return spool.InFile(err, nameOf(g.spec.Inputs[i].Object))
		}
		inputs[i] = av.GraphInput{Label: g.spec.Inputs[i].Label, Frame: f.frame, TimeBase: f.base, FrameRate: f.rate, Trim: f.trim}
	}
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return err
	}
	defer c.Leave()
	if g.frame, err = av.NewFrame(); err != nil {
		return err
	}
	g.graph, err = av.NewGraph(c, g.spec.Description, inputs, av.GraphFormats{Pixels: g.spec.pixels(), Samples: g.spec.samples()})
	return err
}

// Outputs are the labels of the graph's outputs, in the order of its description.
func (g *Graph) Outputs() []string {
	var labels []string
	if g.graph != nil {
		for _, o := range g.graph.Outputs() {
			labels = append(labels, o.Label)
		}
	}
	return labels
}

// Next gives the next frame or run of samples of any output. Io.EOF is the end.
//
//	Ownership:    the result is the caller's.
//	Cancellation: between frames.
//	Errors:       those of decoding; ErrTooLarge for frames beyond the decoder's limits; ErrClosed.
func (g *Graph) Next(ctx context.Context) (*Filtered, error) {
	if g.graph == nil {
		return nil, fmt.Errorf("decode: graph: %w", spool.ErrClosed)
	}
	output, err := g.pull(ctx)
	if errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	if err != nil {
		return nil, ended(ctx, err)
	}
	return g.deliver(ctx, &g.graph.Outputs()[output])
}

// pull has the graph give a frame, for which inputs are decoded as it asks for them.
func (g *Graph) pull(ctx context.Context) (output int, err error) {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return 0, err
	}
	defer c.Leave()
	for {
		demand, which, err := g.graph.Pull(c, g.frame)
		switch {
		case err != nil:
			return 0, err
		case demand == av.GraphEnd:
			return 0, io.EOF
		case demand == av.GraphFrame:
			return which, nil
		}
		frame, pts, err := g.feeds[which].next(c)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, spool.InFile(err, nameOf(g.spec.Inputs[which].Object))
		}
		if err := g.graph.Push(c, which, frame, pts); err != nil {
			return 0, err
		}
	}
}

// deliver copies the frame into a buffer.
func (g *Graph) deliver(ctx context.Context, o *av.GraphOutput) (*Filtered, error) {
	f := g.frame
	n, err := f.Bytes()
	if err != nil {
		return nil, err
	}
	out := &Filtered{Output: o.Label, Kind: KindVideo, PTS: nan, Rate: f.Rate}
	if f.PTS != av.NoPTS {
		out.PTS = float64(f.PTS) * o.TimeBase.Float()
	}
	desc := spool.Desc{Shape: spool.Shape{f.Height, f.Width, g.spec.Color.Channels()}, Layout: spool.HWC}
	purpose := spool.Pixels
	if o.Kind == av.Audio {
		out.Kind, purpose = KindAudio, spool.Sound
		desc = spool.Desc{Shape: spool.Shape{f.Channels, f.Samples}, DType: g.spec.dtype(), Layout: spool.CT}
		if g.spec.Layout == spool.TC {
			desc.Shape, desc.Layout = spool.Shape{f.Samples, f.Channels}, spool.TC
		}
	} else if err := g.decoder.limits.picture(ImageInfo{Width: f.Width, Height: f.Height}); err != nil {
		return nil, err
	}
	if int64(n) > g.decoder.limits.MaxMemory {
		return nil, tooLarge("%v, the limit is %d bytes", desc, g.decoder.limits.MaxMemory)
	}
	if out.Buffer, err = g.decoder.pixels.GetFor(ctx, n, purpose); err != nil {
		return nil, ended(ctx, err)
	}
	if err := f.CopyTo(out.Bytes()); err != nil {
		out.Release()
		return nil, err
	}
	out.SetDesc(desc)
	return out, nil
}

// All gives what Next gives, up to the end or an error.
func (g *Graph) All(ctx context.Context) iter.Seq2[*Filtered, error] {
	return func(yield func(*Filtered, error) bool) {
		for {
			f, err := g.Next(ctx)
			if errors.Is(err, io.EOF) || !yield(f, err) || err != nil {
				return
			}
		}
	}
}

// Close frees the graph and ends the loan of its inputs. It returns nil; a second Close does nothing.
func (g *Graph) Close() error {
	if g.graph != nil {
		_ = g.graph.Close() // always nil
		g.graph = nil
	}
	if g.frame != nil {
		g.frame.Release()
		g.frame = nil
	}
	for _, f := range g.feeds {
		f.close()
	}
	g.feeds = nil
	return nil
}

// atrim is the argument of the filter that cuts a window out of sound.
func (w window) atrim() string {
	args := ""
	if !math.IsInf(w.start, -1) {
		args = fmt.Sprintf("start=%.6f", w.start)
	}
	if !math.IsInf(w.end, 1) {
		if args != "" {
			args += ":"
		}
		args += fmt.Sprintf("end=%.6f", w.end)
	}
	return args
}
