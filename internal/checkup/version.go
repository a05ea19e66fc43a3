package checkup

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/avif"
	"github.com/spoolmedia/spool/cbridge/icc"
	"github.com/spoolmedia/spool/cbridge/jp2"
	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/cbridge/png"
	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/cbridge/webp"
)

// library is a library that this process runs with.
type library struct {
	name, version string
	pkg           string // of Debian 12, that provides it
	license       string
}

func libraries() []library {
	libpng, libdeflate := png.Version()
	return []library{
		{"FFmpeg", av.Version(), "libavformat59", av.License()},
		{"lcms2", icc.Version(), "liblcms2-2", "MIT"},
		{"libavif", avif.Version(), "libavif15", "BSD-2-Clause"},
		{"libdeflate", libdeflate, "libdeflate0", "MIT"},
		{"libjpeg-turbo", jpeg.Version(), "libjpeg62-turbo", "IJG AND BSD-3-Clause AND Zlib"},
		{"libopenjp2", jp2.Version(), "libopenjp2-7", "BSD-2-Clause"},
		{"libpng", libpng, "libpng16-16", "libpng-2.0"},
		{"libvips", vips.Version(), "libvips42", "LGPL-2.1-or-later"},
		{"libwebp", webp.Version(), "libwebp7", "BSD-3-Clause"},
	}
}

// release is the version that the build of an artefact sets with -ldflags -X; empty in other builds.
var release string

// Commit returns the version of the build: the release, the commit of the checkout, or else the module's version.
func Commit() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+changes"
		}
	}
	if revision == "" {
		return info.Main.Version
	}
	return revision + dirty
}

// Version describes the build and the versions of the libraries.
func Version() string {
	var words []string
	for _, l := range libraries() {
		words = append(words, l.name+" "+l.version)
	}
	return fmt.Sprintf("spool %s (%s)", Commit(), strings.Join(words, ", "))
}
