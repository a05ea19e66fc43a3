package jp2_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/jp2"
)

// claims is a codestream of one empty tile, with header fields that a test chooses.
type claims struct {
	width, height, tileWidth, tileHeight uint32
	components                           uint16
	levels, order                        byte
	layers                               uint16
	block                                byte   // exponent of a code-block's sides
	precinct                             []byte // by resolution, or none
	more                                 []byte // more segments of the main header
	own                                  []byte // header of the tile
}

func segment(marker uint16, body []byte) []byte {
	head := binary.BigEndian.AppendUint16(nil, marker)
	return append(binary.BigEndian.AppendUint16(head, uint16(len(body)+2)), body...)
}

func (c claims) coding() []byte {
	style := byte(0)
	if c.precinct != nil {
		style = 1
	}
	body := []byte{style, c.order, byte(c.layers >> 8), byte(c.layers), 0, c.levels, c.block - 2, c.block - 2, 0, 1}
	return segment(0xff52, append(body, c.precinct...))
}

func (c claims) bytes() []byte {
	size := []byte{0, 0}
	for _, n := range []uint32{c.width, c.height, 0, 0, c.tileWidth, c.tileHeight, 0, 0} {
		size = binary.BigEndian.AppendUint32(size, n)
	}
	size = binary.BigEndian.AppendUint16(size, c.components)
	for range c.components {
		size = append(size, 7, 1, 1)
	}
	steps := []byte{0x40}
	for range 3*int(c.levels) + 1 {
		steps = append(steps, 0x48)
	}
	data := append([]byte("\xff\x4f"), segment(0xff51, size)...)
	data = append(data, c.coding()...)
	data = append(data, segment(0xff5c, steps)...)
	data = append(data, c.more...)
	packets := make([]byte, 100)
	start := []byte{0, 0, 0, 0, 0, 0, 0, 1}
	binary.BigEndian.PutUint32(start[2:], uint32(12+len(c.own)+2+len(packets)))
	data = append(data, segment(0xff90, start)...)
	data = append(data, c.own...)
	data = append(data, 0xff, 0x93)
	return append(append(data, packets...), 0xff, 0xd9)
}

func square(side uint32) claims {
	return claims{width: side, height: side, tileWidth: side, tileHeight: side, components: 3, levels: 5, layers: 1,
		block: 6}
}

// The cost that a header claims is computed before anything is allocated.
func TestClaims(t *testing.T) {
	tiny := []byte{0x11, 0x11, 0x11, 0x11, 0x11, 0x11}
	plain := square(1000)
	require.Less(t, header(t, plain.bytes()).Memory(), int64(64<<20))
	all, err := whole(t, plain.bytes(), 3)
	require.NoError(t, err)
	require.Len(t, all, 3_000_000)

	tiles := claims{width: 255, height: 257, tileWidth: 1, tileHeight: 1, components: 4, layers: 1, block: 6}
	require.Greater(t, header(t, tiles.bytes()).Memory(), int64(600<<20))
	_, err = whole(t, tiles.bytes(), 3)
	require.ErrorIs(t, err, spool.ErrCorrupt) // missing tiles are found before memory is allocated

	copied := tiles
	copied.more = segment(0xff74, make([]byte, 60000)) // copied for each tile
	require.Greater(t, header(t, copied.bytes()).Memory(), int64(60000*65535))

	precincts := square(2000)
	precincts.precinct = tiny
	require.Greater(t, header(t, precincts.bytes()).Memory(), int64(4<<30))
	hidden := square(2000) // in the header of the tile
	hidden.own = precincts.coding()
	require.Greater(t, header(t, hidden.bytes()).Memory(), int64(4<<30))

	blocks := square(2000)
	blocks.block = 2
	require.Greater(t, header(t, blocks.bytes()).Memory(), int64(500<<20))

	vast := square(1 << 20)
	vast.levels = 0
	require.Greater(t, header(t, vast.bytes()).Memory(), int64(1<<44))
	for name, c := range map[string]struct {
		data []byte
		want spool.Class
	}{
		"components": {claims{width: 9, height: 9, tileWidth: 9, tileHeight: 9, components: 16384, layers: 1,
			block: 6}.bytes(), spool.ErrUnsupported},
		"beyond the end": {square(1 << 31).bytes(), spool.ErrTooLarge},
		"tiles": {claims{width: 999, height: 999, tileWidth: 1, tileHeight: 1, components: 1, layers: 1,
			block: 6}.bytes(), spool.ErrCorrupt},
	} {
		_, err := jp2.ReadHeader(c.data)
		assert.ErrorIs(t, err, c.want, name)
	}
}

// Headers that promise too many packets are refused: libopenjp2 spends time on each packet.
func TestPacketsWithoutEnd(t *testing.T) {
	layers := square(2000)
	layers.layers, layers.precinct = 65535, []byte{0x77, 0x77, 0x77, 0x77, 0x77, 0x77}
	positions := square(20000)
	positions.levels, positions.order, positions.precinct = 1, 2, []byte{0xf1, 0x1f}
	for name, c := range map[string]claims{"layers": layers, "positions": positions} {
		_, err := jp2.ReadHeader(c.bytes())
		assert.ErrorIs(t, err, spool.ErrCorrupt, name)
		assert.ErrorContains(t, err, "packets", name)
	}
}
