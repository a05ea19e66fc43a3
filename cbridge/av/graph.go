package av

/*
#cgo pkg-config: libavfilter
#include <stdlib.h>
#include "graph.h"
*/
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"github.com/asticode/go-astiav"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

// GraphInput is where frames come into a graph.
type GraphInput struct {
	Label     string // in the description; may be empty where there is one input
	Frame     *Frame // one like those that will come; lent for the call
	TimeBase  Ratio  // of the frames' times
	FrameRate Ratio  // of video; 0 when unknown
	Trim      string // of audio: arguments of the filter atrim, which comes first; empty: none
}

// GraphOutput is where frames leave a graph.
type GraphOutput struct {
	Label    string // in the description
	Kind     Kind
	TimeBase Ratio // of the frames' times
}

// GraphFormats are what outputs give, by FFmpeg's names.
type GraphFormats struct {
	Pixels  string // empty: "rgb24"
	Samples string // empty: "fltp"
}

// Graph makes frames of frames by FFmpeg's filters, in one thread. It belongs to one goroutine at a time.
type Graph struct {
	c       *C.spool_av_graph // nil when closed
	outputs []GraphOutput
	cleanup runtime.Cleanup
}

type heldGraph struct{ c *C.spool_av_graph }

func (g heldGraph) free() { C.spool_av_graph_close(g.c) }

// maxPads bounds the open ends of a graph.
const maxPads = 64

// NewGraph opens the graph of a description in FFmpeg's language, as of its option -filter_complex, whose open ends are inputs and outputs by
// their labels. The description is code: filters may read files. The caller MUST Close it.
//
//	Errors: spool.ErrOptions for a description that FFmpeg does not understand, that names filters which it does not
//	        have, or that does not fit the inputs; unsupported for formats that cannot be converted.
func NewGraph(c *call.Call, description string, inputs []GraphInput, formats GraphFormats) (*Graph, error) {
	if err := cancelled(c, opFilter); err != nil {
		return nil, err
	}
	if len(inputs) > maxPads {
		return nil, fmt.Errorf("%w: av: %d inputs of a graph", spool.ErrOptions, len(inputs))
	}
	silence()
	var texts []unsafe.Pointer
	defer func() {
		for _, t := range texts {
			C.free(t)
		}
	}()
	text := func(s string) *C.char {
		t := C.CString(s)
		texts = append(texts, unsafe.Pointer(t))
		return t
	}
	pads := (*[maxPads]C.spool_av_graph_input)(C.calloc(maxPads, C.size_t(unsafe.Sizeof(C.spool_av_graph_input{}))))
	if pads == nil {
		return nil, fmt.Errorf("%w: av: graph", spool.ErrOutOfMemory)
	}
	texts = append(texts, unsafe.Pointer(pads))
	for i, in := range inputs {
		if in.Frame.frame == nil {
			return nil, closed("frame")
		}
		pads[i] = C.spool_av_graph_input{label: text(in.Label), frame: in.Frame.frame.UnsafePointer(), base_num: C.int32_t(in.TimeBase.Num),
			base_den: C.int32_t(in.TimeBase.Den), rate_num: C.int32_t(in.FrameRate.Num), rate_den: C.int32_t(in.FrameRate.Den)}
		if in.Trim != "" {
			pads[i].trim = text(in.Trim)
		}
	}
	g := &Graph{}
	var complaint [256]C.char
	code := astiav.Error(C.spool_av_graph_open(text(description), &pads[0], C.int32_t(len(inputs)), text("pix_fmts="+cmp.Or(formats.Pixels, "rgb24")),
		text("sample_fmts="+cmp.Or(formats.Samples, "fltp")), &complaint[0], C.size_t(len(complaint)), &g.c))
	runtime.KeepAlive(inputs)
	if code < 0 {
		return nil, graphRefusal(c, code, description, C.GoString(&complaint[0]))
	}
	handles.Add(1)
	g.cleanup = runtime.AddCleanup(g, forget, held(heldGraph{g.c}))
	g.describe()
	return g, nil
}

// graphRefusal is the error of a graph that was not made.
func graphRefusal(c *call.Call, code astiav.Error, description, complaint string) error {
	switch {
	case complaint != "":
		return fmt.Errorf("%w: av: %s in the graph %q", spool.ErrOptions, complaint, description)
	case errors.Is(code, posix(syscall.ENOSYS)):
		return &spool.Error{Op: opFilter, Class: spool.ErrUnsupported, Lib: library, Code: int(code), Text: "no way to convert what the graph gives"}
	case errors.Is(code, astiav.ErrFilterNotFound), errors.Is(code, astiav.ErrOptionNotFound), errors.Is(code, posix(syscall.EINVAL)),
		errors.Is(code, posix(syscall.ERANGE)), errors.Is(code, posix(syscall.EDOM)):
		return fmt.Errorf("%w: av: FFmpeg does not take the graph %q: %w", spool.ErrOptions, description, code)
	}
	return failure(c, opFilter, code)
}

func (g *Graph) describe() {
	for i := range C.spool_av_graph_outputs(g.c) {
		var o C.spool_av_graph_output
		C.spool_av_graph_output_of(g.c, i, &o)
		kind := Audio
		if o.video != 0 {
			kind = Video
		}
		g.outputs = append(g.outputs, GraphOutput{Label: C.GoString(&o.label[0]), Kind: kind, TimeBase: Ratio{int(o.base_num), int(o.base_den)}})
	}
}

// Outputs are the graph's, in the order of its description.
func (g *Graph) Outputs() []GraphOutput { return g.outputs }

// Push gives an input a frame, whose planes are shared, with its time; nil: there are no more.
func (g *Graph) Push(c *call.Call, input int, f *Frame, pts int64) error {
	var frame unsafe.Pointer
	if f != nil {
		if f.frame == nil {
			return closed("frame")
		}
		frame = f.frame.UnsafePointer()
		defer runtime.KeepAlive(f)
	}
	_, err := g.do(c, func() C.int { return C.spool_av_graph_push(g.c, C.int32_t(input), frame, C.int64_t(pts)) })
	return err
}

// Demand is what a graph says when it is asked for a frame.
type Demand uint8

// The demands.
const (
	GraphEnd   Demand = iota // there are no more frames
	GraphFrame               // a frame of an output
	GraphWants               // a frame, or the end, of an input
)

// Pull gives the next frame of any output, or says which input wants one.
func (g *Graph) Pull(c *call.Call, f *Frame) (d Demand, which int, err error) {
	if f.frame == nil {
		return GraphEnd, 0, closed("frame")
	}
	defer runtime.KeepAlive(f)
	var n C.int32_t
	code, err := g.do(c, func() C.int { return C.spool_av_graph_pull(g.c, f.frame.UnsafePointer(), &n) })
	if err == nil && code == C.SPOOL_AV_GRAPH_FRAME {
		f.describe()
	}
	return Demand(code), int(n), err
}

func (g *Graph) do(c *call.Call, work func() C.int) (C.int, error) {
	if g.c == nil {
		return 0, closed("graph")
	}
	if err := cancelled(c, opFilter); err != nil {
		return 0, err
	}
	defer runtime.KeepAlive(g)
	code := work()
	if code < 0 {
		return 0, failure(c, opFilter, astiav.Error(code))
	}
	return code, nil
}

// Close frees the graph. It returns nil; a second Close does nothing.
func (g *Graph) Close() error {
	if g.c != nil {
		g.cleanup.Stop()
		release(heldGraph{g.c})
		g.c = nil
	}
	return nil
}

// Bytes is the size of the frame's pixels or samples without gaps.
func (f *Frame) Bytes() (int, error) {
	if f.frame == nil {
		return 0, closed("frame")
	}
	defer runtime.KeepAlive(f)
	n := C.spool_av_graph_bytes(f.frame.UnsafePointer())
	if n < 0 {
		return 0, &spool.Error{Op: opFilter, Class: spool.ErrUnsupported, Lib: library, Code: int(n), Text: "frames that are not in memory"}
	}
	return int(n), nil
}

// CopyTo copies pixels or samples without gaps, planes one after the other, to memory of that size.
func (f *Frame) CopyTo(to []byte) error {
	n, err := f.Bytes()
	if err != nil || n != len(to) {
		return errors.Join(err, fmt.Errorf("%w: av: a frame of %d bytes for %d", spool.ErrShape, n, len(to)))
	}
	defer runtime.KeepAlive(f)
	if code := C.spool_av_graph_copy(f.frame.UnsafePointer(), (*C.uint8_t)(unsafe.SliceData(to)), C.size_t(n)); code < 0 {
		return &spool.Error{Op: opFilter, Class: spool.ErrUnsupported, Lib: library, Code: int(code), Text: "frames that cannot be copied"}
	}
	return nil
}
