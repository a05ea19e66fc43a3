package jp2

// #include "jp2.h"
import "C"

import (
	"unsafe"

	"github.com/spoolmedia/spool"
)

// Floor decodes a picture with bare libopenjp2, into planes that are thrown away: what benchmarks measure Decode by. The
// error says no more than corrupt.
func Floor(data []byte) error {
	c, err := open(data)
	if err != nil {
		return err
	}
	if C.spool_jp2_floor((*C.uint8_t)(unsafe.SliceData(c.codestream)), C.size_t(len(c.codestream))) != C.SPOOL_JP2_OK {
		return &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Lib: library, Text: "bare decode failed"}
	}
	return nil
}
