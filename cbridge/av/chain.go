package av

import (
	"errors"
	"fmt"

	"github.com/asticode/go-astiav"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

// Chain is filters that turn one frame into one, and see no other frames.
type Chain struct {
	Filters string // in FFmpeg's language, as for the option -vf
	Files   bool   // they may open files, libraries, fonts and sockets
}

// graph opens the filters for a frame. The output keeps the format of the frame, or is RGB where filters need that.
func (s Chain) graph(c *call.Call, f *Frame, base Ratio) (*Graph, error) {
	options := GraphOptions{Pixels: f.PixelFormat.String() + "|rgb24", Files: s.Files}
	g, err := NewGraph(c, s.Filters, []GraphInput{{Frame: f, TimeBase: base}}, options)
	if err != nil {
		return nil, err
	}
	if o := g.Outputs(); len(o) != 1 || o[0].Kind != Video {
		return nil, errors.Join(fmt.Errorf("%w: av: the filters %q have %d outputs, which must be one of video",
			spool.ErrOptions, s.Filters, len(o)), g.Close())
	}
	return g, nil
}

// Size returns the size of the frames that the filters make of frames of a size and format.
func (s Chain) Size(width, height int, format PixelFormat) (w, h int, err error) {
	f, err := NewFrame()
	if err != nil {
		return 0, 0, err
	}
	defer f.Release()
	f.frame.SetWidth(width)
	f.frame.SetHeight(height)
	f.frame.SetPixelFormat(astiav.PixelFormat(format))
	f.describe()
	g, err := s.graph(new(call.Call), f, Ratio{1, 1000})
	if err != nil {
		return 0, 0, err
	}
	out := g.Outputs()[0]
	return out.Width, out.Height, g.Close()
}

// Run writes to out what the filters make of a frame, whose time is in ticks of base.
//
//   - Cancellation: before the frame.
//   - Errors: spool.ErrOptions for filters that do not make one frame of one.
func (s Chain) Run(c *call.Call, f *Frame, base Ratio, out *Frame) (err error) {
	g, err := s.graph(c, f, base)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	if err := g.Push(c, 0, f, f.PTS); err != nil {
		return err
	}
	if err := g.Push(c, 0, nil, 0); err != nil {
		return err
	}
	d, _, err := g.Pull(c, out)
	if err == nil && d != GraphFrame {
		err = fmt.Errorf("%w: av: the filters %q make no frame of a single one", spool.ErrOptions, s.Filters)
	}
	return err
}
