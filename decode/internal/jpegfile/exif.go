package jpegfile

import (
	"bytes"
	"encoding/binary"

	"github.com/spoolmedia/spool/decode/internal/tiff"
)

// Upright is the orientation of an image that is stored upright.
const Upright = 1

// JPEG markers (ITU-T T.81, table B.1).
const (
	tem  = 0x01
	sof0 = 0xc0 // baseline
	SOF2 = 0xc2 // progressive
	dht  = 0xc4 // DHT, JPG and DAC are within the range of SOF markers
	jpg  = 0xc8
	dac  = 0xcc
	sofF = 0xcf // the last SOF marker
	rst0 = 0xd0
	EOI  = 0xd9
	sos  = 0xda
	app1 = 0xe1
	app2 = 0xe2
)

// Orientation reads the orientation from Exif data, which has the structure of a TIFF file. It is 1 to 8, and 1 if it
// is missing or invalid. As in torchvision, it is the first entry with the tag in the first directory, whatever the
// entry's type.
func Orientation(exif []byte) int {
	t, ok := tiff.Parse(exif)
	if !ok || t.Big {
		return Upright
	}
	for i := range t.Count {
		e, ok := t.Entry(i)
		if !ok {
			break
		}
		if e.Tag == tiff.TagOrientation {
			if v := t.Order.Uint16(e.Field); v >= 1 && v <= 8 {
				return int(v)
			}
			break
		}
	}
	return Upright
}

// Frame finds the SOF marker of a JPEG file's first frame, which tells its coding, and the offset of the first
// scan. The marker is 0 if the data end before.
func Frame(data []byte) (sof byte, scan int) {
	for pos := 2; ; {
		marker, _, next := segment(data, pos)
		switch {
		case marker == 0 || marker == EOI:
			return 0, next
		case marker == sos:
			return sof, next
		case sof == 0 && marker >= sof0 && marker <= sofF && marker != dht && marker != jpg && marker != dac:
			sof = marker
		}
		pos = next
	}
}

// segment finds the first marker at or after pos, and its segment. Like libjpeg it skips bytes that are no marker.
// The marker is 0 if the data end first, or if the segment's length is invalid. If the data end first, next is their
// length.
func segment(data []byte, pos int) (marker byte, body []byte, next int) {
	for {
		n := bytes.IndexByte(data[min(pos, len(data)):], 0xff)
		if n < 0 {
			return 0, nil, len(data)
		}
		pos += n
		for pos < len(data) && data[pos] == 0xff { // any number of fill bytes may precede a marker
			pos++
		}
		if pos == len(data) {
			return 0, nil, pos
		}
		marker = data[pos]
		pos++
		if marker != 0 { // 0xff 0x00 stands for a byte 0xff
			break
		}
	}
	if marker == tem || marker >= rst0 && marker <= EOI { // markers without a segment
		return marker, nil, pos
	}
	if len(data)-pos < 2 {
		return 0, nil, len(data)
	}
	n := int(binary.BigEndian.Uint16(data[pos:]))
	switch {
	case n < 2:
		return 0, nil, pos
	case n > len(data)-pos:
		return 0, nil, len(data)
	}
	return marker, data[pos+2 : pos+n], pos + n
}
