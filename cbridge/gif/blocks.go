package gif

import (
	"bytes"
	"encoding/binary"
	"errors"
	"time"

	"github.com/spoolmedia/spool"
)

// Blocks of the GIF89a specification (CompuServe, 1990).
const (
	signature87 = "GIF87a"
	signature89 = "GIF89a"

	screenBytes     = 13 // signature and logical screen descriptor
	descriptorBytes = 9  // image descriptor, without its introducer

	imageBlock     = ','
	extensionBlock = '!'
	trailer        = ';'

	controlLabel     = 0xf9
	applicationLabel = 0xff

	hasTable = 0x80 // flag of the screen and of frames: a color table follows
)

// The errors that end a walk.
var (
	errEnd = errors.New("no frame follows")
	errCut = errors.New("the data end within a block")
)

// walker iterates over the frames of a file. It reads blocks and decodes no pixels.
type walker struct {
	data []byte
	pos  int

	width, height int    // the logical screen
	table         []byte // the global color table, nil if absent or a gray ramp
	background    int    // index of the background color; -1 without a table

	backgroundColor [3]byte // black without a table, or if the index is out of range
	loops           int     // of the Netscape extension; -1 without it

	frames   int
	disposal uint8 // of the last frame: it applies until a control block sets another
	cut      bool  // the data of the last frame are truncated
}

// frame describes a frame, as stored in the file.
type frame struct {
	x, y, width, height int
	interlaced          bool
	table               []byte // RGB, nil for gray
	transparent         int    // index of the transparent color; -1 for none
	firstTransparent    int    // transparent index of the first of several control blocks
	controls            int    // number of control blocks
	disposal            uint8
	delay               time.Duration
	bits                int // minimum code size
	at                  int // offset of the sub-blocks
}

// walk creates a walker and reads the blocks before the first frame.
func walk(data []byte) (*walker, error) {
	w := &walker{data: data, background: -1, loops: -1}
	if n := min(len(data), len(signature89)); string(data[:n]) != signature87[:n] && string(data[:n]) != signature89[:n] {
		return nil, errNotGIF
	}
	screen, err := w.read(screenBytes)
	if err != nil {
		return nil, err
	}
	w.width = int(binary.LittleEndian.Uint16(screen[6:]))
	w.height = int(binary.LittleEndian.Uint16(screen[8:]))
	if flags := screen[10]; flags&hasTable != 0 {
		w.background = int(screen[11])
		at := w.pos
		w.table, err = w.colors(flags)
		if color := at + 3*w.background; color+3 <= w.pos {
			w.backgroundColor = [3]byte(w.data[color:])
		}
	}
	return w, err
}

// read returns the next n bytes.
func (w *walker) read(n int) ([]byte, error) {
	if len(w.data)-w.pos < n {
		w.pos = len(w.data)
		return nil, errCut
	}
	w.pos += n
	return w.data[w.pos-n : w.pos], nil
}

// subBlock returns the next sub-block. The last one is empty.
func (w *walker) subBlock() ([]byte, error) {
	size, err := w.read(1)
	if err != nil {
		return nil, err
	}
	return w.read(int(size[0]))
}

// skip skips the remaining sub-blocks.
func (w *walker) skip() error {
	for {
		if block, err := w.subBlock(); err != nil || len(block) == 0 {
			return err
		}
	}
}

// colors reads a color table. It returns nil for a table in which each color equals its index: Pillow treats such
// images as gray.
func (w *walker) colors(flags byte) ([]byte, error) {
	table, err := w.read(3 << (flags&7 + 1))
	for i, c := range table {
		if int(c) != i/3 {
			return table, err
		}
	}
	return nil, err
}

// begin creates a walker and reads the first frame, which must be decodable.
func begin(data []byte) (*walker, frame, error) {
	if len(data) == 0 {
		return nil, frame{}, failure(spool.ErrEmpty, "no data")
	}
	w, err := walk(data)
	if err != nil {
		return nil, frame{}, classed(err, 0)
	}
	first, err := w.next()
	if err != nil {
		return nil, frame{}, classed(err, 0)
	}
	return w, first, first.check()
}

// canvas returns the size of all composed frames: the logical screen, enlarged to contain the first frame.
func (w *walker) canvas(first frame) (width, height int) {
	return max(w.width, first.x+first.width), max(w.height, first.y+first.height)
}

// next reads the next frame and skips its data. It returns errEnd if there is none, and errCut if the file ends before
// the frame's pixels.
func (w *walker) next() (frame, error) {
	f := frame{transparent: -1, firstTransparent: -1}
	for {
		introducer, err := w.read(1)
		switch {
		case err != nil && w.frames == 0:
			return frame{}, errCut
		case err != nil:
			return frame{}, errEnd // a file without a trailer
		}
		switch introducer[0] {
		case trailer:
			w.pos-- // every further call reads the trailer again
			return frame{}, errEnd
		case extensionBlock:
			err = w.extension(&f)
		case imageBlock:
			if err = w.image(&f); err != nil {
				return frame{}, err
			}
			w.frames++
			w.cut = w.skip() != nil
			return f, nil
		}
		if err != nil {
			return frame{}, err
		}
	}
}

// maxBits is the maximum minimum code size, for 256 indices.
const maxBits = 8

// check returns an error for a frame that cannot be decoded.
func (f *frame) check() error {
	if f.width == 0 || f.height == 0 || f.bits == 0 || f.bits > maxBits {
		return failure(spool.ErrCorrupt, "a frame of %dx%d with codes of %d bits: all must be positive, the bits at most %d",
			f.width, f.height, f.bits, maxBits)
	}
	return nil
}

func (w *walker) image(f *frame) error {
	d, err := w.read(descriptorBytes)
	if err != nil {
		return err
	}
	f.x, f.y = int(binary.LittleEndian.Uint16(d)), int(binary.LittleEndian.Uint16(d[2:]))
	f.width, f.height = int(binary.LittleEndian.Uint16(d[4:])), int(binary.LittleEndian.Uint16(d[6:]))
	flags := d[8]
	f.interlaced = flags&0x40 != 0
	f.table = w.table
	if flags&hasTable != 0 {
		if f.table, err = w.colors(flags); err != nil {
			return err
		}
	}
	bits, err := w.read(1)
	if err != nil {
		return err
	}
	f.bits, f.at, f.disposal = int(bits[0]), w.pos, w.disposal
	return nil
}

func (w *walker) extension(f *frame) error {
	label, err := w.read(1)
	if err != nil {
		return err
	}
	block, err := w.subBlock()
	if err != nil || len(block) == 0 {
		return err
	}
	switch label[0] {
	case controlLabel:
		if len(block) < 4 {
			break
		}
		if block[0]&1 != 0 {
			f.transparent = int(block[3])
			if f.controls == 0 {
				f.firstTransparent = f.transparent
			}
		}
		f.controls++
		if disposal := block[0] >> 2 & 7; disposal != 0 {
			w.disposal = disposal
		}
		f.delay = time.Duration(binary.LittleEndian.Uint16(block[1:])) * 10 * time.Millisecond
	case applicationLabel:
		if w.frames > 0 || !bytes.HasPrefix(block, []byte("NETSCAPE2.0")) {
			break
		}
		if block, err = w.subBlock(); err != nil || len(block) == 0 {
			return err
		}
		if len(block) >= 3 && block[0] == 1 {
			w.loops = int(binary.LittleEndian.Uint16(block[1:]))
		}
	}
	return w.skip()
}
