package av

/*
#include <stdlib.h>
#include "av.h"
*/
import "C"

import (
	"fmt"
	"strings"
	"syscall"
	"unsafe"

	"github.com/asticode/go-astiav"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

// HasDeviceType reports whether this FFmpeg knows devices of a type, by its name; there need be none here.
func HasDeviceType(kind string) bool {
	if strings.ContainsRune(kind, 0) {
		return false
	}
	name := C.CString(kind)
	defer C.free(unsafe.Pointer(name))
	return C.spool_av_device_type(name) != 0
}

// openDevice has the decoder use its device. One that is not there, or does not decode the codec, is no error but a
// fallback.
func (d *Decoder) openDevice() error {
	kind, which, named := strings.Cut(d.options.Device, ":")
	if strings.ContainsRune(d.options.Device, 0) {
		return fmt.Errorf("%w: av: device %q", spool.ErrOptions, d.options.Device)
	}
	name := C.CString(kind)
	defer C.free(unsafe.Pointer(name))
	var device *C.char
	if named {
		device = C.CString(which)
		defer C.free(unsafe.Pointer(device))
	}
	switch code := astiav.Error(C.spool_av_device(pointer(d.codec), name, device)); {
	case code >= 0:
	case code == posix(syscall.EINVAL):
		return fmt.Errorf("%w: av: no type of devices %q", spool.ErrOptions, kind)
	case code == posix(syscall.ENOSYS):
		d.fallback = d.noDevice(code, kind+" does not decode "+d.parameters.Codec+" here")
	default:
		d.fallback = d.noDevice(code, d.options.Device+": "+code.Error())
	}
	return nil
}

func (d *Decoder) noDevice(code astiav.Error, text string) error {
	return &spool.Error{Op: opDecode, Class: spool.ErrDevice, Lib: library, Code: int(code), Text: text}
}

// Fallback says why the device that was asked for does not decode: there is none, it does not know the codec, or, known after
// the first frame, it refuses the stream. The frames come from the machine's processors then. It is nil where the device decodes, and where none was
// asked for.
func (d *Decoder) Fallback() error { return d.fallback }

// download copies a frame of the device's.
func (d *Decoder) download(c *call.Call, f *Frame) error {
	f.describe()
	if !f.hardware {
		if d.fallback == nil {
			d.fallback = d.noDevice(0, d.options.Device+" does not decode "+d.parameters.Codec+" of this profile or size")
		}
		return nil
	}
	if code := C.spool_av_device_download(f.frame.UnsafePointer()); code < 0 {
		e := failure(c, opDecode, astiav.Error(code))
		return fmt.Errorf("%w: %w", spool.ErrDevice, e)
	}
	return nil
}
