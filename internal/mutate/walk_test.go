package mutate

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/bits"
)

// Readers of each format that know only lengths and sums. They share no code with the mutators.

var errEnd = errors.New("ends within an element")

// checkChunks reads the chunks of PNG.
func checkChunks(data []byte) error {
	for data = data[8:]; len(data) > 0; {
		if len(data) < 12 {
			return errEnd
		}
		n := int(binary.BigEndian.Uint32(data))
		if n+12 > len(data) {
			return errEnd
		}
		if crc32.ChecksumIEEE(data[4:8+n]) != binary.BigEndian.Uint32(data[8+n:]) {
			return fmt.Errorf("the sum of %q", data[4:8])
		}
		data = data[12+n:]
	}
	return nil
}

// checkBoxes reads boxes, and those in boxes that have nothing else.
func checkBoxes(data []byte) error {
	for len(data) > 0 {
		if len(data) < 8 {
			return errEnd
		}
		n, header := uint64(binary.BigEndian.Uint32(data)), 8
		if n == 1 && len(data) >= 16 {
			n, header = binary.BigEndian.Uint64(data[8:]), 16
		} else if n == 0 {
			n = uint64(len(data))
		}
		if n < uint64(header) || n > uint64(len(data)) {
			return errEnd
		}
		switch string(data[4:8]) {
		case "moov", "trak", "mdia", "minf", "stbl", "iprp", "ipco", "jp2h":
			if err := checkBoxes(data[header:n]); err != nil {
				return err
			}
		}
		data = data[n:]
	}
	return nil
}

// checkEBML reads the elements of a file, and those of a segment.
func checkEBML(data []byte) error {
	for len(data) > 0 {
		id := bits.LeadingZeros8(data[0]) + 1
		if len(data) <= id {
			return errEnd
		}
		size := bits.LeadingZeros8(data[id]) + 1
		if size > 8 || len(data) < id+size {
			return errEnd
		}
		n := uint64(data[id]) &^ (1 << (8 - size))
		for _, b := range data[id+1 : id+size] {
			n = n<<8 + uint64(b)
		}
		name, rest := string(data[:id]), data[id+size:]
		if n == 1<<(7*size)-1 {
			return nil // of unknown length
		}
		if n > uint64(len(rest)) {
			return errEnd
		}
		if name == "\x18\x53\x80\x67" || name == "\x16\x54\xAE\x6B" || name == "\x1F\x43\xB6\x75" {
			if err := checkEBML(rest[:n]); err != nil {
				return err
			}
		}
		data = rest[n:]
	}
	return nil
}

// checkRIFF reads chunks, and those in a list.
func checkRIFF(data []byte) error {
	for len(data) > 0 {
		if len(data) < 8 {
			return errEnd
		}
		n := int(binary.LittleEndian.Uint32(data[4:]))
		if n == 0xFFFFFFFF {
			return nil
		}
		if n > len(data)-8 {
			return errEnd
		}
		if name := string(data[:4]); name == "RIFF" || name == "LIST" {
			if err := checkRIFF(data[12 : 8+n]); err != nil {
				return err
			}
		}
		data = data[min(len(data), 8+n+n%2):]
	}
	return nil
}

// remainder is that of a division by a polynomial, bit by bit.
func remainder(data []byte, width int, polynomial uint64) (v uint64) {
	for _, b := range data {
		for i := 7; i >= 0; i-- {
			bit := v>>(width-1)&1 ^ uint64(b>>i&1)
			v = v << 1 & (1<<width - 1)
			if bit == 1 {
				v ^= polynomial
			}
		}
	}
	return v
}

// checkPages reads the pages of Ogg.
func checkPages(data []byte) error {
	for len(data) > 0 {
		if len(data) < 27 || string(data[:4]) != "OggS" || len(data) < 27+int(data[26]) {
			return errEnd
		}
		n := 27 + int(data[26])
		for _, lace := range data[27:n] {
			n += int(lace)
		}
		if n > len(data) {
			return errEnd
		}
		page := bytes.Clone(data[:n])
		sum := binary.LittleEndian.Uint32(page[22:])
		copy(page[22:], make([]byte, 4))
		if remainder(page, 32, 0x04C11DB7) != uint64(sum) {
			return errors.New("the sum of a page")
		}
		data = data[n:]
	}
	return nil
}

// checkFrames reads the metadata of FLAC, and tests whether the rest can be divided into frames with right sums.
func checkFrames(data []byte) error {
	data = data[4:]
	for last := false; !last && len(data) > 0 && data[0] != 0xFF; {
		if len(data) < 4 {
			return errEnd
		}
		last = data[0]>>7 == 1
		n := 4 + int(data[1])<<16 + int(data[2])<<8 + int(data[3])
		if n > len(data) {
			return errEnd
		}
		data = data[n:]
	}
	if remainder(data, 16, 0x8005) != 0 { // the remainder of a frame with its sum is 0, and so is that of several
		return errors.New("the sum of a frame")
	}
	return nil
}

// checkSegments reads segments of JPEG up to the end marker.
func checkSegments(data []byte) error {
	for data = data[2:]; len(data) >= 2; {
		switch {
		case data[0] != 0xFF || data[1] == 0 || data[1] == 0xFF:
			data = data[1:]
		case data[1] == 1 || data[1] >= 0xD0 && data[1] <= 0xD9:
			data = data[2:]
		case len(data) < 4 || 2+int(binary.BigEndian.Uint16(data[2:])) > len(data):
			return errEnd
		default:
			data = data[2+int(binary.BigEndian.Uint16(data[2:])):]
		}
	}
	return nil
}

// checkCodestream reads segments and parts of tiles.
func checkCodestream(data []byte) error {
	for len(data) >= 2 {
		n := 2
		switch {
		case data[0] != 0xFF:
			return errors.New("no marker")
		case data[1] == 0x4F || data[1] == 0xD9:
		case data[1] == 0x93:
			return nil // in a part of a tile whose length is not known
		case data[1] == 0x90 && len(data) >= 12 && binary.BigEndian.Uint32(data[6:]) > 0:
			n = int(binary.BigEndian.Uint32(data[6:]))
		case len(data) >= 4:
			n = 2 + int(binary.BigEndian.Uint16(data[2:]))
		}
		if n > len(data) {
			return errEnd
		}
		data = data[n:]
	}
	return nil
}
