package main

/*
#include "spool.h"
*/
import "C"

import (
	"context"
	"errors"
	"math"
	"unsafe"

	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/graph"
	"github.com/spoolmedia/spool/internal/settings"
)

// spool_graph is an open filter graph. One call uses it at a time.
type spool_graph struct {
	*graph.Graph
	*decoder
	serial
	numbers map[string]int // of the outputs, by label
}

// graphing is the options of spool_graph_open.
type graphing struct {
	graph.Spec
	key decoderKey
}

func (g *graphing) define(set *settings.Set) (judge func()) {
	settings.Choice(set, "color", &g.Color, "rgb", "channels of frames, and their order", map[string]decode.Color{
		"rgb": decode.RGB, "bgr": decode.BGR, "gray": decode.Gray, "rgba": decode.RGBA})
	set.AudioArray(&g.DType, &g.Layout)
	set.Boolean("files", &g.Files, false, "filters may open files that the description names")
	set.Boolean("skip-damage", &g.SkipDamage, false, "drop the output of damaged packets")
	set.Limits(&g.key.decode.Limits)
	set.Stores(&g.key.stores)
	return func() {}
}

// openGraph opens a graph, which holds the decoder until it is closed.
func openGraph(ctx context.Context, o *graphing, inputs []C.spool_graph_input) (*spool_graph, error) {
	d, err := library.decoder(o.key)
	if err != nil {
		return nil, err
	}
	g := &spool_graph{decoder: d, serial: newSerial(), numbers: map[string]int{}}
	if err := o.add(d, inputs); err != nil {
		return nil, errors.Join(err, d.release())
	}
	if g.Graph, err = graph.New(d.Decoder, d.Videos, d.Audios).Open(ctx, o.Spec); err != nil {
		return nil, errors.Join(err, d.release())
	}
	for i, label := range g.Outputs() {
		g.numbers[label] = i
	}
	return g, nil
}

// add adds the inputs to the spec.
func (g *graphing) add(d *decoder, inputs []C.spool_graph_input) error {
	for i := range inputs {
		in, err := inputOf(&inputs[i].source)
		if err != nil {
			return err
		}
		to := graph.Input{Object: in.object(d.stores)}
		if err := readOptions(inputs[i].options, func(set *settings.Set) func() {
			set.Text("label", &to.Label, "NAME", "in the description; a single input needs none")
			set.Medium(&to.Medium)
			set.Stream(&to.Stream)
			set.Seconds("start", "the begin of the window", &to.Start)
			set.Seconds("end", "the end of the window, exclusive", &to.End)
			set.Number("threads", &to.Threads, "1", 1, "of the decoder")
			return func() {
				if to.Start > 0 && !set.Given("end") {
					to.End = math.MaxInt32 // later than all ends
				}
			}
		}); err != nil {
			return err
		}
		g.Inputs = append(g.Inputs, to)
	}
	return nil
}

// Close frees the graph, and ends the use of its inputs' bytes.
func (g *spool_graph) Close() error { return errors.Join(g.Graph.Close(), g.release()) }

// graphInfo is the result of spool_graph_info.
type graphInfo struct {
	Outputs []string `json:"outputs"`
}

//export goGraphOpen
func goGraphOpen(description *C.char, inputs *C.spool_graph_input, n C.size_t, json *C.char, cancel C.uintptr_t,
	opened *C.uintptr_t, e *C.spool_error) C.int32_t {
	return guard(e, "filter", func() error {
		o := &graphing{Spec: graph.Spec{Description: C.GoString(description)}}
		if err := readOptions(json, o.define); err != nil {
			return err
		}
		return withCancel(context.Background(), cancel, func(ctx context.Context) error {
			g, err := openGraph(ctx, o, unsafe.Slice(inputs, n))
			if err == nil {
				*opened = register(g)
			}
			return err
		})
	})
}

//export goGraphInfo
func goGraphInfo(handle C.uintptr_t, json **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "describe", func() error {
		return use(handle, func(ctx context.Context, g *spool_graph) error {
			return g.do(ctx, func() (err error) {
				*json, err = jsonArray(graphInfo{g.Outputs()})
				return err
			})
		})
	})
}

//export goGraphNext
func goGraphNext(handle, cancel C.uintptr_t, to *C.spool_graph_output, e *C.spool_error) C.int32_t {
	return guard(e, "filter", func() error {
		return use(handle, func(ctx context.Context, g *spool_graph) error {
			return withCancel(ctx, cancel, func(ctx context.Context) error {
				return g.do(ctx, func() error { return g.next(ctx, to) })
			})
		})
	})
}

// next passes the next result to C.
func (g *spool_graph) next(ctx context.Context, to *C.spool_graph_output) error {
	out, err := g.Next(ctx)
	if err != nil {
		return err
	}
	result := C.spool_graph_output{pts: C.double(out.PTS), output: C.int32_t(g.numbers[out.Label]),
		rate: C.int32_t(out.Rate)}
	if out.Medium == decode.Video {
		result.video = 1
	}
	if result.data, err = bufferArray(out.Buffer); err == nil {
		*to = result
	}
	return err
}

//export goGraphClose
func goGraphClose(handle C.uintptr_t) {
	guard(nil, "close", func() error { return release[*spool_graph](handle) })
}
