package parity

import (
	"bytes"
	"encoding/binary"
	"image/gif"
)

// damagedGIF reports whether Go's decoder also refuses the first frame.
func damagedGIF(data []byte) bool {
	_, err := gif.Decode(bytes.NewReader(data))
	return err != nil
}

// gifFirst describes the screen and the first frame of a GIF file; zero if there is no frame.
type gifFirst struct {
	screenWidth, screenHeight int
	right, bottom             int // of the frame, exclusive
	colors, indices           int // size of the color table, and number of values that the codes may have
	background, global        int // index of the background, and size of the global color table
}

// beyond reports whether the frame extends beyond the screen.
func (f gifFirst) beyond() bool { return f.right > f.screenWidth || f.bottom > f.screenHeight }

// short reports whether there may be an index without a color.
func (f gifFirst) short() bool {
	return f.colors < f.indices || f.global > 0 && f.background >= f.global
}

func firstOfGIF(data []byte) (f gifFirst) {
	const screen, descriptor = 13, 10
	word := func(at int) int { return int(binary.LittleEndian.Uint16(data[at:])) }
	table := func(flags byte) int {
		if flags&0x80 == 0 {
			return 0
		}
		return 2 << (flags & 7)
	}
	if len(data) < screen {
		return f
	}
	colors := table(data[10])
	at := screen + 3*colors
	for at+2 < len(data) && data[at] != ',' { // extensions, and stray bytes
		if data[at] != '!' {
			at++
			continue
		}
		for at += 2; at < len(data) && data[at] != 0; at += 1 + int(data[at]) {
		}
		at++
	}
	if at+descriptor >= len(data) {
		return f
	}
	global := colors
	if local := table(data[at+9]); local > 0 {
		colors = local
	}
	f = gifFirst{screenWidth: word(6), screenHeight: word(8), right: word(at+1) + word(at+5),
		bottom: word(at+3) + word(at+7), colors: colors,
		background: int(data[11]), global: global}
	if bits := at + descriptor + 3*table(data[at+9]); bits < len(data) {
		f.indices = 1 << min(data[bits], 8)
	}
	return f
}
