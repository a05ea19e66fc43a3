package main

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/cbridge/vips"
)

// libraries names the libraries that this process runs with.
func libraries() map[string]string {
	return map[string]string{"FFmpeg": av.Version(), "libvips": vips.Version(), "libjpeg-turbo": jpeg.Version()}
}

// commit is what was built: the module's version, or the commit of the checkout.
func commit() string {
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

func version() string {
	var words []string
	names := libraries()
	for _, name := range sorted(names) {
		words = append(words, name+" "+names[name])
	}
	return fmt.Sprintf("spool %s (%s)", commit(), strings.Join(words, ", "))
}
