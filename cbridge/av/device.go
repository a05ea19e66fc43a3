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

// HasDeviceType reports whether this FFmpeg knows devices of a type, by its name; there need be none here.
func HasDeviceType(kind string) bool {
	if strings.ContainsRune(kind, 0) {
		return false
	}
	name := C.CString(kind)
	defer C.free(unsafe.Pointer(name))
	return C.spool_av_device_type(name) != 0
}

// CUDA is where frames are decoded to that stay on a device: a context, a CUcontext, and a stream, a CUstream, in whose
// order they are complete. Both have to outlive the decoder and its frames.
type CUDA struct {
	Context, Stream uintptr

	// Held is how many frames may be out at once. More than that are an error of the device's at the next packet.
	Held int
}

// Surface is where a frame lies in a device's memory: luma, and in a plane of half the size pairs of chroma, as NV12 and P010 have
// them.
type Surface struct {
	Luma, Chroma uint64 // each a CUdeviceptr
	Pitch        int    // bytes from one row to the next, in both
	Bits         int    // 8 is bytes; more are the high bits of 16
}

// Surface is where the frame lies, for one that DecoderOptions.CUDA left on the device.
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

// openCUDA has the decoder leave its frames on a device. One that does not decode the codec is no error but a fallback.
func (d *Decoder) openCUDA() {
	o := d.options.CUDA
	switch code := astiav.Error(C.spool_av_cuda(pointer(d.codec), C.uintptr_t(o.Context), C.uintptr_t(o.Stream), C.int(o.Held))); {
	case code >= 0:
	case code == posix(syscall.ENOSYS):
		d.fallback = d.noDevice(code, "this FFmpeg does not decode "+d.parameters.Codec+" on CUDA devices")
	default:
		d.fallback = d.noDevice(code, "this FFmpeg cannot use the CUDA driver: "+code.Error())
	}
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

// onDevice reports whether frames come from a device, as far as is known.
func (d *Decoder) onDevice() bool {
	return d.fallback == nil && (d.options.Device != "" || d.options.CUDA != CUDA{})
}

// fellBack is why a frame does not come from the device.
func (d *Decoder) fellBack() error {
	device := d.options.Device
	if d.options.CUDA != (CUDA{}) {
		device = "CUDA"
	}
	if C.spool_av_device_refused(pointer(d.codec)) == 0 {
		return d.noDevice(0, device+" does not decode "+d.parameters.Codec+" of this profile or format")
	}
	text := device + " refuses " + d.parameters.Codec + fmt.Sprintf(" of %dx%d, or of this profile", d.parameters.Width, d.parameters.Height)
	if strings.HasPrefix(device, "cuda") || device == "CUDA" {
		text += ", or there is no " + nvcuvid
	}
	return d.noDevice(0, text)
}

const nvcuvid = "libnvcuvid.so.1" // NVDEC's library, which FFmpeg loads

// NVDEC is why no CUDA device can decode here, as far as is known without asking one: this FFmpeg is not made for it, or its
// library is not there.
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

// land has a frame where it is wanted: it is copied from the device, unless it is to stay there.
func (d *Decoder) land(c *call.Call, f *Frame) error {
	f.describe()
	if !f.hardware {
		d.fallback = d.fellBack()
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
