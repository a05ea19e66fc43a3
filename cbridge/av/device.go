package av

/*
#include <stdlib.h>
#include "av.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"github.com/asticode/go-astiav"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

// HasDeviceType reports whether this FFmpeg supports a type of device, by its name. The machine need not have such a
// device.
func HasDeviceType(kind string) bool {
	if strings.ContainsRune(kind, 0) {
		return false
	}
	name := C.CString(kind)
	defer C.free(unsafe.Pointer(name))
	return C.spool_av_device_type(name) != 0
}

// CUDA selects the device where decoded frames stay: a context, a CUcontext, and a stream, a CUstream. Frames are
// complete in the order of the stream. Both must outlive the decoder and its frames.
type CUDA struct {
	Context, Stream uintptr

	// Held is the maximum number of frames that the caller holds at once. If it holds more, the next packet fails with an
	// error of the device.
	Held int
}

// Surface is a frame in device memory: a plane of luma, and a plane of half the size with pairs of chroma samples, as
// in NV12 and P010.
type Surface struct {
	Luma, Chroma uint64 // each a CUdeviceptr
	Pitch        int    // bytes between rows, in both planes
	Bits         int    // 8 means bytes; more are the high bits of 16-bit words
}

// Surface returns the frame's location, if DecoderOptions.CUDA left it on the device.
func (f *Frame) Surface() (Surface, bool) {
	if f.frame == nil {
		return Surface{}, false
	}
	defer runtime.KeepAlive(f)
	var s C.spool_av_surface
	if C.spool_av_surface_of(f.frame.UnsafePointer(), &s) == 0 {
		return Surface{}, false
	}
	return Surface{uint64(s.luma), uint64(s.chroma), int(s.pitch), int(s.bits)}, true
}

// openCUDA makes the decoder leave its frames on a device. If the device does not decode the codec, openCUDA sets the
// fallback instead of returning an error.
func (d *Decoder) openCUDA() {
	o := d.options.CUDA
	switch code := astiav.Error(C.spool_av_cuda(pointer(d.codec), C.uintptr_t(o.Context), C.uintptr_t(o.Stream),
		C.int(o.Held))); {
	case code >= 0:
	case code == posix(syscall.ENOSYS):
		d.fallback = d.noDevice(code, "this FFmpeg does not decode "+d.parameters.Codec+" on CUDA devices")
	default:
		d.fallback = d.noDevice(code, "this FFmpeg cannot use the CUDA driver: "+code.Error())
	}
}

// openDevice makes the decoder use its device. If the device does not exist or does not decode the codec, it sets the
// fallback instead of returning an error.
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
		return fmt.Errorf("%w: av: unknown device type %q", spool.ErrOptions, kind)
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

// Fallback returns why the CPU decodes instead of the requested device: there is no such device, it does not support
// the codec, or it rejects the stream. A rejection is known after the first frame. Fallback is nil if the device
// decodes, or if none was requested.
func (d *Decoder) Fallback() error { return d.fallback }

// onDevice reports whether frames come from a device, as far as is known.
func (d *Decoder) onDevice() bool {
	return d.fallback == nil && (d.options.Device != "" || d.options.CUDA != CUDA{})
}

// fallbackReason returns why a frame does not come from the device.
func (d *Decoder) fallbackReason() error {
	device := d.options.Device
	if d.options.CUDA != (CUDA{}) {
		device = "CUDA"
	}
	if C.spool_av_device_refused(pointer(d.codec)) == 0 {
		return d.noDevice(0, device+" does not decode "+d.parameters.Codec+" of this profile or format")
	}
	text := device + " refuses " + d.parameters.Codec + fmt.Sprintf(" of %dx%d, or of this profile", d.parameters.Width,
		d.parameters.Height)
	if strings.HasPrefix(device, "cuda") || device == "CUDA" {
		text += ", or there is no " + nvcuvid
	}
	return d.noDevice(0, text)
}

const nvcuvid = "libnvcuvid.so.1" // NVDEC's library, loaded by FFmpeg

// NVDEC returns why no CUDA device can decode, as far as is known without using one: this FFmpeg does not support it,
// or its library cannot be loaded.
func NVDEC() error {
	h264 := astiav.FindDecoderByName("h264")
	if h264 == nil || C.spool_av_cuda_decoder(C.int(h264.ID())) == nil {
		return &spool.Error{Op: "load", Class: spool.ErrDevice, Lib: library, Text: "this FFmpeg is built without NVDEC"}
	}
	name := C.CString(nvcuvid)
	defer C.free(unsafe.Pointer(name))
	var why [256]C.char
	if C.spool_av_library(name, &why[0], C.size_t(len(why))) != 0 {
		return &spool.Error{Op: "load", Class: spool.ErrDevice, Lib: "libnvcuvid", Text: "dlopen: " + C.GoString(&why[0])}
	}
	return nil
}

// download moves a frame to its destination: it is copied from the device, unless it stays there.
func (d *Decoder) download(c *call.Call, f *Frame) error {
	f.describe()
	if !f.hardware {
		d.fallback = d.fallbackReason()
		return nil
	}
	if d.options.CUDA != (CUDA{}) {
		return nil
	}
	if code := C.spool_av_device_download(f.frame.UnsafePointer()); code < 0 {
		e := failure(c, opDecode, astiav.Error(code))
		return fmt.Errorf("%w: %w", spool.ErrDevice, e)
	}
	return nil
}
