// Package checkup reports the machine, the libraries and the remote stores that spool works with.
package checkup

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jpeg/baseline"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/internal/cores"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/helper"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/transfer"
)

// Checkup is the report of doctor --json.
type Checkup struct {
	Spool    string            `json:"spool"`
	Go       string            `json:"go"`
	Platform string            `json:"platform"`
	Versions map[string]string `json:"versions"`  // of the libraries
	Packages map[string]string `json:"packages"`  // of Debian 12, that provide them; none in a static build
	Filters  []string          `json:"filters"`   // FFmpeg's, for graphs; a part of them in a static build
	SIMD     string            `json:"simd"`      // instruction set of the pixel kernels
	JPEGSIMD string            `json:"jpeg_simd"` // instruction set of the JPEG engine
	Formats  map[string]bool   `json:"formats"`   // whether each can be decoded
	Loaders  map[string]bool   `json:"loaders"`   // whether each can be enabled with --allow
	Encodes  map[string]bool   `json:"encodes"`   // whether video and audio can be written in each codec
	Limits   map[string]int64  `json:"limits"`    // of the machine and of this process; -1 for none
	Devices  Devices           `json:"devices"`
	Decoders DeviceDecoders    `json:"device_decoders"`
	// Isolation says what limits the helper processes of --isolate, or why there are none.
	Isolation string    `json:"isolation"`
	Missing   []Missing `json:"missing"`
}

// Missing is a component that is not installed.
type Missing struct {
	What    string `json:"what"`
	For     string `json:"for"`
	Package string `json:"package,omitempty"` // of Debian 12, that provides it; none in a static build
}

// lacking returns a missing component.
func lacking(what, purpose, pkg string) Missing {
	if isStatic {
		pkg = ""
	}
	return Missing{what, purpose, pkg}
}

// vipsFormat is a format that libvips decodes through a library, with the Debian package of that library.
type vipsFormat struct {
	name    string
	format  vips.Format
	library string
}

// formats are the formats that libvips decodes by default. blocked are its loaders that --allow must enable. The
// formats of the other lanes are always available.
var (
	formats = []vipsFormat{{"tiff", vips.TIFF, "libtiff6"}, {"heic", vips.HEIF, "libheif1"},
		{"jxl", vips.JXL, "libjxl0.7"}}
	blocked = []vipsFormat{{"svg", vips.SVG, "librsvg2-2"}, {"exr", vips.EXR, "libopenexr-3-1-30"}, {"hdr", vips.HDR, ""},
		{"pdf", vips.PDF, "libpoppler-glib8"}, {"magick", vips.Magick, "libmagickcore-6.q16-6"}}
)

// isolation starts a helper and asks it for its limits.
func isolation(program string) string {
	d, err := decoders.New(decoders.Options{
		Isolate: decode.Isolation{Which: decode.IsolateAll, Helper: program, Processes: 1}})
	if err != nil {
		return "none: SPOOL_HELPER names no program"
	}
	fence, err := helper.Of(d).Check(context.Background())
	err = errors.Join(err, d.Close())
	switch {
	case err != nil:
		return "none: " + err.Error()
	case fence.Calls != "":
		return "processes without a filter of system calls: " + fence.Calls
	case fence.Memory != "":
		return "processes without a limit of memory: " + fence.Memory
	}
	return "processes with a filter of system calls (seccomp) and a limit of memory"
}

// Examine reports this machine. reads reports whether libvips has a loader for a format. helper is the program of
// helper processes; see decode.Isolation.
func Examine(reads func(vips.Format) bool, helper string) (Checkup, error) {
	decoder, err := decoders.New(decoders.Options{})
	if err != nil {
		return Checkup{}, err
	}
	limits := decoder.Limits()
	if err := decoder.Close(); err != nil {
		return Checkup{}, err
	}
	found := Checkup{
		Spool:    Commit(),
		Go:       runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Versions: map[string]string{},
		Packages: map[string]string{},
		Filters:  av.Filters(),
		SIMD:     kernel.SIMD(),
		JPEGSIMD: baseline.SIMD(),

		Isolation: isolation(helper),
		Formats: map[string]bool{"jpeg": true, "png": true, "webp": true, "gif": true, "avif": true, "jp2": true,
			"bmp": true, "pnm": true, "tga": true},
		Loaders: map[string]bool{},
		Limits: map[string]int64{
			"cores":               int64(runtime.NumCPU()),
			"cores_used":          int64(cores.Count()),
			"calls_in_c":          call.Capacity(),
			"open_files":          openFiles(),
			"memory_bytes":        settings.MachineMemory(),
			"cgroup_memory_bytes": cgroupMemory(),
			"max_pixels":          limits.MaxPixels,
			"max_bytes":           limits.MaxBytes,
			"max_frames":          limits.MaxFrames,
			"max_memory_bytes":    limits.MaxMemory,
		},
		Devices: findDevices(transfer.DeviceOptions{}), Decoders: findDecoders(""),
		Missing: []Missing{},
	}
	for _, l := range libraries() {
		found.Versions[l.name] = l.version
		if !isStatic {
			found.Packages[l.name] = l.pkg
		}
	}
	look := func(where map[string]bool, x vipsFormat, need string) {
		where[x.name] = reads(x.format)
		if !where[x.name] {
			found.Missing = append(found.Missing,
				lacking("a libvips that reads "+x.name, need, strings.TrimSpace("libvips42 "+x.library)))
		}
	}
	for _, x := range formats {
		look(found.Formats, x, "images in "+x.name)
	}
	for _, x := range blocked {
		look(found.Loaders, x, "images in "+x.name+", which are blocked by default")
	}
	var missing []Missing
	found.Encodes, missing = findEncoders(encoders())
	found.Missing = append(found.Missing, missing...)
	return found, nil
}

// openFiles returns the number of files that this process may open, or -1 without a limit.
func openFiles() int64 {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil || l.Cur > 1<<62 {
		return -1
	}
	return int64(l.Cur)
}

// cgroupMemory returns the memory limit of the control group (version 2) of this process, or -1 without a limit.
func cgroupMemory() int64 {
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return -1
	}
	_, path, _ := strings.Cut(strings.TrimSpace(string(own)), "::")
	limit, err := os.ReadFile("/sys/fs/cgroup" + path + "/memory.max")
	if err != nil {
		return -1
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(limit)), 10, 64)
	if err != nil { // "max"
		return -1
	}
	return n
}
