package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/cbridge/vips"
)

// checkup is what doctor finds.
type checkup struct {
	Spool    string            `json:"spool"`
	Go       string            `json:"go"`
	Platform string            `json:"platform"`
	Versions map[string]string `json:"versions"` // of the libraries
	SIMD     string            `json:"simd"`     // what the kernels use
	Formats  map[string]bool   `json:"formats"`  // which can be decoded
	Limits   map[string]string `json:"limits"`   // of this process and machine
	Missing  []missing         `json:"missing"`
}

// missing is something that is not there, and the Debian package that brings it.
type missing struct {
	What    string `json:"what"`
	Package string `json:"package"`
	Needed  string `json:"needed"` // for what
}

func doctorCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{Use: "doctor", Short: "Say what was found, what limits, and what is missing"}
	f := flagsOf(c)
	f.boolean("json", &asJSON, false, "print one JSON object")
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			f.refuse("%s takes no arguments: %s", c.CommandPath(), strings.Join(args, " "))
		}
		if err := f.err(); err != nil {
			return err
		}
		found := examine()
		if asJSON {
			return json.NewEncoder(c.OutOrStdout()).Encode(found)
		}
		return found.print(c.OutOrStdout())
	}
	return c
}

// loaders are the formats that libvips reads, and the Debian 12 package of the library behind each.
var loaders = []struct {
	name    string
	format  vips.Format
	library string
}{
	{"png", vips.PNG, "libspng0"}, {"webp", vips.WebP, "libwebp7"}, {"gif", vips.GIF, "libvips42"},
	{"tiff", vips.TIFF, "libtiff6"}, {"avif", vips.HEIF, "libheif1"}, {"heic", vips.HEIF, "libheif1"},
	{"jp2", vips.JP2, "libopenjp2-7"}, {"jxl", vips.JXL, "libjxl0.7"},
}

func examine() checkup {
	found := checkup{
		Spool:    commit(),
		Go:       runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Versions: libraries(),
		SIMD:     kernel.SIMD(),
		Formats:  map[string]bool{"jpeg": true, "bmp": true, "pnm": true, "tga": true},
		Limits: map[string]string{
			"cores":        strconv.Itoa(runtime.NumCPU()),
			"calls in C":   strconv.FormatInt(call.Capacity(), 10),
			"open files":   rlimit(syscall.RLIMIT_NOFILE, 1),
			"memory":       memory(),
			"cgroup limit": cgroupMemory(),
		},
		Missing: []missing{},
	}
	for _, l := range loaders {
		found.Formats[l.name] = vips.Reads(l.format)
		if !found.Formats[l.name] {
			found.Missing = append(found.Missing, missing{"a libvips that reads " + l.name, "libvips42 " + l.library, "pictures in " + l.name})
		}
	}
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		found.Missing = append(found.Missing, missing{"the ffmpeg command", "ffmpeg", "spool's own tests only"})
	}
	return found
}

func (c checkup) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "spool\t%s\nGo\t%s %s\n", c.Spool, c.Go, c.Platform)
	for _, name := range sorted(c.Versions) {
		fmt.Fprintf(t, "%s\t%s\n", name, c.Versions[name])
	}
	fmt.Fprintf(t, "kernels\t%s\n", c.SIMD)
	var can, cannot []string
	for _, name := range sorted(c.Formats) {
		if c.Formats[name] {
			can = append(can, name)
		} else {
			cannot = append(cannot, name)
		}
	}
	fmt.Fprintf(t, "decodes\t%s\n", strings.Join(can, " "))
	if len(cannot) > 0 {
		fmt.Fprintf(t, "does not decode\t%s\n", strings.Join(cannot, " "))
	}
	for _, name := range sorted(c.Limits) {
		fmt.Fprintf(t, "%s\t%s\n", name, c.Limits[name])
	}
	for _, m := range c.Missing {
		fmt.Fprintf(t, "missing\t%s, for %s: apt-get install %s\n", m.What, m.Needed, m.Package)
	}
	if len(c.Missing) == 0 {
		fmt.Fprintf(t, "missing\tnothing\n")
	}
	return t.Flush()
}

// rlimit is a limit of this process, in units of unit.
func rlimit(which int, unit uint64) string {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(which, &l); err != nil {
		return err.Error()
	}
	if l.Cur == ^uint64(0) {
		return "none"
	}
	return strconv.FormatUint(l.Cur/unit, 10)
}

func memory() string {
	var i syscall.Sysinfo_t
	if err := syscall.Sysinfo(&i); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d MiB", uint64(i.Totalram)*uint64(i.Unit)>>20)
}

// cgroupMemory is the memory limit of this process's control group, version 2.
func cgroupMemory() string {
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "unknown"
	}
	_, path, _ := strings.Cut(strings.TrimSpace(string(own)), "::")
	limit, err := os.ReadFile("/sys/fs/cgroup" + path + "/memory.max")
	if err != nil || strings.TrimSpace(string(limit)) == "max" {
		return "none"
	}
	return strings.TrimSpace(string(limit)) + " bytes"
}
