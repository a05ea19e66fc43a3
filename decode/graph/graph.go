package graph

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/internal/contents"
	"github.com/spoolmedia/spool/decode/internal/failure"
	"github.com/spoolmedia/spool/decode/internal/limit"
	"github.com/spoolmedia/spool/decode/packets"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/internal/kept"
)

// Spec describes a graph of FFmpeg filters.
type Spec struct {
	// Description is the graph in FFmpeg's syntax, as for its option -filter_complex: "[a][b]vstack[out]". Its unconnected
	// pads are the inputs and outputs, named by their labels. A single input needs no label.
	Description string
	Inputs      []Input

	// Files lets filters open files, libraries, fonts and sockets that the description names: see docs/references.md.
	Files bool

	Color  decode.Color // of the pixels of video outputs: 8 bits, [h w c]
	DType  spool.DType  // of audio samples: Float32, Int16 or Int32; 0 means Float32
	Layout spool.Layout // of audio samples: CT or TC; Flat means CT

	// SkipDamage drops the output of damaged packets. Without it, damage is an error.
	SkipDamage bool
}

// Input is a stream of a file, or packets kept from one.
type Input struct {
	Label   string           // in the description
	Medium  decode.Medium    // decode.Video or decode.Audio; empty: video, or that of the packets
	Object  spool.Object     // lent until the graph is closed
	Packets *packets.Packets // in place of Object; lent until the graph is closed

	// Start and End are a window in seconds of the container's clock. It selects the video frames that begin in it (see
	// Video.Packets), or the audio samples in it. Both 0: everything. Frames keep their times.
	Start, End float64

	Stream  *int // its index in the file; nil: the best one of Medium
	Threads int  // of the decoder; 0: 1
}

// Graph is an open filter graph. It is for one goroutine at a time. Frames are at their stored orientation.
type Graph struct {
	decoder *Decoder
	spec    Spec
	inputs  []*inputDecoder
	graph   *av.Graph
	frame   *av.Frame
	maxCPU  time.Duration // of one output, for which a filter may read all of the inputs
}

// Output is a frame, or a number of audio samples, from a graph. Its receiver owns it and releases it once.
type Output struct {
	*spool.Buffer               // HWC uint8, or CT or TC
	Label         string        // of the output, in the description
	Medium        decode.Medium // decode.Video or decode.Audio
	PTS           float64       // in seconds; NaN if unknown
	Rate          int           // audio samples a second
}

// Validate reports every invalid field, as ErrOptions.
func (s Spec) Validate() error {
	var bad invalid.Options
	require := func(ok bool, format string, args ...any) {
		if !ok {
			bad.Addf(format, args...)
		}
	}
	require(s.Description != "", "a graph without a description")
	require(s.Color <= decode.RGBA, "color %d", s.Color)
	require(s.samples() != "", "samples of %v, %v", s.DType, s.Layout)
	for i, in := range s.Inputs {
		require(in.Medium == "" || in.Medium == decode.Video || in.Medium == decode.Audio, "input %d is of kind %q", i,
			in.Medium)
		require(in.Threads >= 0, "input %d: %d threads", i, in.Threads)
		require(in.Start <= in.End && in.Start >= 0, "input %d: a window from %v to %v", i, in.Start, in.End)
		require(in.Stream == nil || *in.Stream >= 0, "input %d: a negative stream", i)
		if in.Packets == nil {
			require(in.Object != nil, "input %d: neither an object nor packets", i)
		} else {
			require(in.Object == nil && in.Medium == "" && in.Start == 0 && in.End == 0 && in.Stream == nil,
				"input %d: packets exclude an object, a kind, a window and a stream", i)
		}
	}
	return bad.Err()
}

// pixels is FFmpeg's pixel format for video outputs.
func (s *Spec) pixels() string {
	return [...]string{decode.RGB: "rgb24", decode.BGR: "bgr24", decode.Gray: "gray", decode.RGBA: "rgba"}[s.Color]
}

func (s *Spec) dtype() spool.DType {
	if s.DType == 0 {
		return spool.Float32
	}
	return s.DType
}

// samples is FFmpeg's sample format for audio outputs; empty if there is none.
func (s *Spec) samples() string {
	name := map[spool.DType]string{spool.Float32: "flt", spool.Int16: "s16", spool.Int32: "s32"}[s.dtype()]
	switch {
	case name == "" || s.Layout != spool.Flat && s.Layout != spool.CT && s.Layout != spool.TC:
		return ""
	case s.Layout == spool.TC:
		return name
	}
	return name + "p"
}

// Open opens the inputs, decodes a frame of each, and builds the graph.
//
//	Ownership: the caller owns the graph and MUST Close it before the decoder. Inputs are lent until then.
//	Errors:    ErrOptions, with all problems at once, and for a description that FFmpeg does not accept or that does not
//	           match the inputs; those of video.Decoder.Open and audio.Decoder.Open.
//	Cost:      opening the inputs; a video with a window is indexed.
func (d *Decoder) Open(ctx context.Context, spec Spec) (*Graph, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	g := &Graph{decoder: d, spec: spec}
	if err := g.open(ctx); err != nil {
		return nil, errors.Join(failure.Ended(ctx, err), g.Close())
	}
	return g, nil
}

// size is the bytes of all inputs; -1 if it is not known of one, or if one is packets. A File is opened for it.
func (s *Spec) size() (n int64) {
	for i := range s.Inputs {
		if s.Inputs[i].Object == nil {
			return -1
		}
		size := s.Inputs[i].Object.Info().Size
		if size < 0 {
			return -1
		}
		n += size
	}
	return n
}

func (g *Graph) open(ctx context.Context) error {
	g.maxCPU = limit.MediaCPU(g.decoder.limits, g.spec.size(), 1)
	inputs := make([]av.GraphInput, len(g.spec.Inputs))
	for i := range g.spec.Inputs {
		f := &inputDecoder{skipDamage: g.spec.SkipDamage}
		g.inputs = append(g.inputs, f)
		if err := f.open(ctx, g.decoder, &g.spec.Inputs[i]); err != nil {
			return spool.InFile(err, contents.NameOf(g.spec.Inputs[i].Object))
		}
		inputs[i] = av.GraphInput{Label: g.spec.Inputs[i].Label, Frame: f.frame, TimeBase: f.base, FrameRate: f.rate,
			Trim: f.trim}
	}
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return err
	}
	defer c.Leave()
	if g.frame, err = av.NewFrame(); err != nil {
		return err
	}
	g.graph, err = av.NewGraph(c, g.spec.Description, inputs,
		av.GraphOptions{Pixels: g.spec.pixels(), Samples: g.spec.samples(), Files: g.spec.Files})
	return err
}

// Outputs are the labels of the graph's outputs, in FFmpeg's order, which need not be that of the description.
func (g *Graph) Outputs() []string {
	var labels []string
	if g.graph != nil {
		for _, o := range g.graph.Outputs() {
			labels = append(labels, o.Label)
		}
	}
	return labels
}

// Next returns the next frame, or the next audio samples, of any output. At the end it returns io.EOF.
//
//	Ownership:    the caller owns the result.
//	Cancellation: between frames.
//	Errors:       those of decoding; ErrTooLarge for frames beyond the decoder's limits; ErrClosed.
func (g *Graph) Next(ctx context.Context) (*Output, error) {
	if g.graph == nil {
		return nil, fmt.Errorf("decode: graph: %w", spool.ErrClosed)
	}
	output, err := g.pull(ctx)
	if errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	if err != nil {
		return nil, failure.Ended(ctx, err)
	}
	return g.deliver(ctx, &g.graph.Outputs()[output])
}

// pull gets a frame from the graph. It decodes the inputs that the graph requests.
func (g *Graph) pull(ctx context.Context) (output int, err error) {
	c, err := call.EnterWithin(ctx, 1, g.maxCPU)
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
		frame, pts, err := g.inputs[which].next(c)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, spool.InFile(err, contents.NameOf(g.spec.Inputs[which].Object))
		}
		if err := g.graph.Push(c, which, frame, pts); err != nil {
			return 0, err
		}
	}
}

// deliver copies the frame into a buffer.
func (g *Graph) deliver(ctx context.Context, o *av.GraphOutput) (*Output, error) {
	f := g.frame
	n, err := f.Bytes()
	if err != nil {
		return nil, err
	}
	out := &Output{Label: o.Label, Medium: decode.Video, PTS: math.NaN(), Rate: f.Rate}
	if f.PTS != av.NoPTS {
		out.PTS = float64(f.PTS) * o.TimeBase.Float()
	}
	desc := spool.Desc{Shape: spool.Shape{f.Height, f.Width, g.spec.Color.Channels()}, Layout: spool.HWC}
	purpose := spool.Pixels
	if o.Kind == av.Audio {
		out.Medium, purpose = decode.Audio, spool.AudioSamples
		desc = spool.Desc{Shape: spool.Shape{f.Channels, f.Samples}, DType: g.spec.dtype(), Layout: spool.CT}
		if g.spec.Layout == spool.TC {
			desc.Shape, desc.Layout = spool.Shape{f.Samples, f.Channels}, spool.TC
		}
	} else if err := limit.Pixels(g.decoder.limits, f.Width, f.Height); err != nil {
		return nil, err
	}
	if int64(n) > g.decoder.limits.MaxMemory {
		return nil, limit.Exceeded("%v, the limit is %d bytes", desc, g.decoder.limits.MaxMemory)
	}
	if out.Buffer, err = g.decoder.results.GetFor(ctx, n, purpose); err != nil {
		return nil, failure.Ended(ctx, err)
	}
	if err := f.CopyTo(out.Bytes()); err != nil {
		out.Release()
		return nil, err
	}
	out.SetDesc(desc)
	return out, nil
}

// All iterates over the results of Next, up to the end or an error.
func (g *Graph) All(ctx context.Context) iter.Seq2[*Output, error] {
	return func(yield func(*Output, error) bool) {
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
	for _, f := range g.inputs {
		f.close()
	}
	g.inputs = nil
	return nil
}

// atrim is the argument of the atrim filter, which cuts a window out of audio.
func atrim(w kept.Window) string {
	args := ""
	if !math.IsInf(w.Start, -1) {
		args = fmt.Sprintf("start=%.6f", w.Start)
	}
	if !math.IsInf(w.End, 1) {
		if args != "" {
			args += ":"
		}
		args += fmt.Sprintf("end=%.6f", w.End)
	}
	return args
}
