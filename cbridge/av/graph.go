package av

/*
#cgo pkg-config: libavfilter
#include <stdlib.h>
#include <libavfilter/avfilter.h>
#include "graph.h"
*/
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"unsafe"

	"github.com/asticode/go-astiav"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

// Filters returns the names of all filters for graphs, sorted.
func Filters() (names []string) {
	var position uintptr // not a pointer: a Go pointer must not be a small number
	for {
		f := C.av_filter_iterate((*unsafe.Pointer)(unsafe.Pointer(&position)))
		if f == nil {
			slices.Sort(names)
			return names
		}
		names = append(names, C.GoString(f.name))
	}
}

// GraphInput is an input of a graph.
type GraphInput struct {
	Label     string // in the description; may be empty for a single input
	Frame     *Frame // an example of its frames; borrowed for the call
	TimeBase  Ratio  // of the frames' times
	FrameRate Ratio  // for video; 0 if unknown
	Trim      string // for audio: arguments of the filter atrim, applied first; empty: none
}

// GraphOutput is an output of a graph.
type GraphOutput struct {
	Label    string // in the description
	Kind     Kind
	TimeBase Ratio // of the frames' times

	Width, Height int // for video
}

// GraphOptions are the formats of the outputs, by FFmpeg's names, and what filters may do.
type GraphOptions struct {
	Pixels  string // empty: "rgb24"; "a|b" is either of two
	Samples string // empty: "fltp"
	Files   bool   // filters may open files, libraries, fonts and sockets
}

// Graph filters frames with FFmpeg's filters, on one thread. It may be used by one goroutine at a time.
type Graph struct {
	c       *C.spool_av_graph // nil after Close
	age     age
	outputs []GraphOutput
	cleanup runtime.Cleanup
}

type graphResource struct{ c *C.spool_av_graph }

func (g graphResource) free() { C.spool_av_graph_close(g.c) }

// maxPads bounds the inputs and outputs of a graph.
const maxPads = 64

// NewGraph creates a graph from a description in FFmpeg's language, as for the option -filter_complex. Its unconnected
// pads are inputs and outputs, by their labels. The caller MUST Close it.
//
//   - Errors: spool.ErrOptions if FFmpeg cannot parse the description, if it has unknown filters, if they would open
//     files without GraphOptions.Files, or if it does not match the inputs; unsupported if frames cannot be converted
//     to the formats.
func NewGraph(c *call.Call, description string, inputs []GraphInput, o GraphOptions) (*Graph, error) {
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
		pads[i] = C.spool_av_graph_input{label: text(in.Label), frame: in.Frame.frame.UnsafePointer(),
			base_num: C.int32_t(in.TimeBase.Num),
			base_den: C.int32_t(in.TimeBase.Den), rate_num: C.int32_t(in.FrameRate.Num), rate_den: C.int32_t(in.FrameRate.Den)}
		if in.Trim != "" {
			pads[i].trim = text(in.Trim)
		}
	}
	g := &Graph{age: now()}
	var complaint [256]C.char
	var code astiav.Error
	if !o.Files {
		code = astiav.Error(C.spool_av_graph_opens(text(description), &complaint[0], C.size_t(len(complaint))))
	}
	if code >= 0 {
		code = astiav.Error(C.spool_av_graph_open(text(description), &pads[0], C.int32_t(len(inputs)),
			text("pix_fmts="+cmp.Or(o.Pixels, "rgb24")),
			text("sample_fmts="+cmp.Or(o.Samples, "fltp")), &complaint[0], C.size_t(len(complaint)), &g.c))
	}
	runtime.KeepAlive(inputs)
	if err := g.age.err(); err != nil {
		if code >= 0 {
			graphResource{g.c}.free()
		}
		return nil, err
	}
	if code < 0 {
		return nil, graphRefusal(c, code, description, C.GoString(&complaint[0]))
	}
	handles.Add(1)
	g.cleanup = runtime.AddCleanup(g, forget, resource(graphResource{g.c}))
	g.describe()
	return g, nil
}

// graphRefusal returns the error of a graph that could not be created.
func graphRefusal(c *call.Call, code astiav.Error, description, complaint string) error {
	switch {
	case complaint != "":
		return fmt.Errorf("%w: av: %s in the graph %q", spool.ErrOptions, complaint, description)
	case errors.Is(code, posix(syscall.ENOSYS)):
		return &spool.Error{Op: opFilter, Class: spool.ErrUnsupported, Lib: library, Code: int(code),
			Text: "the graph's frames cannot be converted to the output's format"}
	case errors.Is(code, astiav.ErrFilterNotFound), errors.Is(code, astiav.ErrOptionNotFound),
		errors.Is(code, posix(syscall.EINVAL)),
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
		g.outputs = append(g.outputs, GraphOutput{Label: C.GoString(&o.label[0]), Kind: kind,
			TimeBase: Ratio{int(o.base_num), int(o.base_den)}, Width: int(o.width), Height: int(o.height)})
	}
}

// Outputs returns the graph's outputs, in FFmpeg's order, which need not be that of the description.
func (g *Graph) Outputs() []GraphOutput { return g.outputs }

// Push passes a frame with a time to an input. The frame's planes are shared. nil ends the input.
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

// Demand is the result of Pull.
type Demand uint8

// The results of Pull.
const (
	GraphEnd   Demand = iota // the end: there are no more frames
	GraphFrame               // a frame of an output
	GraphWants               // an input needs a frame, or its end
)

// Pull returns the next frame of any output, or the input that needs a frame.
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

func (g *Graph) do(c *call.Call, work func() C.int) (code C.int, err error) {
	defer runtime.KeepAlive(g)
	defer g.age.verify(&err)
	return do(c, opFilter, "graph", g.c != nil, work)
}

// Close frees the graph. It returns nil. A second Close does nothing.
func (g *Graph) Close() error {
	if g.c != nil {
		g.cleanup.Stop()
		release(graphResource{g.c})
		g.c = nil
	}
	return nil
}

// Bytes returns the size of the frame's pixels or samples without gaps.
func (f *Frame) Bytes() (int, error) {
	if f.frame == nil {
		return 0, closed("frame")
	}
	defer runtime.KeepAlive(f)
	n := C.spool_av_graph_bytes(f.frame.UnsafePointer())
	if n < 0 {
		return 0, &spool.Error{Op: opFilter, Class: spool.ErrUnsupported, Lib: library, Code: int(n),
			Text: "frames that are not in memory"}
	}
	return int(n), nil
}

// CopyTo copies pixels or samples without gaps, planes one after another. to must have the size of Bytes.
func (f *Frame) CopyTo(to []byte) error {
	n, err := f.Bytes()
	if err != nil || n != len(to) {
		return errors.Join(err, fmt.Errorf("%w: av: a frame of %d bytes for %d", spool.ErrShape, n, len(to)))
	}
	defer runtime.KeepAlive(f)
	if code := C.spool_av_graph_copy(f.frame.UnsafePointer(), (*C.uint8_t)(unsafe.SliceData(to)), C.size_t(n)); code < 0 {
		return &spool.Error{Op: opFilter, Class: spool.ErrUnsupported, Lib: library, Code: int(code),
			Text: "frames that cannot be copied"}
	}
	return nil
}
