// Package isolate makes a program the helper process of decoders: see decode.Isolation.
//
// A program that decodes in helpers may be its own helper. Its main function calls Main first, with the tasks of the
// media that it decodes besides images, and its decoders have the program as their Helper:
//
//	func main() {
//		isolate.Main(video.HelperTasks(), audio.HelperTasks()) // returns, unless this process is a helper
//		self, err := os.Executable()
//		...
//		d, err := decode.New(decode.Options{
//			Isolate: decode.Isolation{Which: decode.IsolateAuto, Helper: self},
//		})
package isolate

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/internal/isolated"
	"github.com/spoolmedia/spool/internal/helper"
)

// Tasks is what a helper does for a medium: video.HelperTasks, or audio.HelperTasks.
type Tasks = isolated.Tasks

// Main returns at once, unless this process was started as a helper: its name is spool-helper. A helper decodes images,
// and the media of these tasks, and exits.
func Main(more ...Tasks) {
	if len(os.Args) == 0 || filepath.Base(os.Args[0]) != helper.Name {
		return
	}
	if err := Serve(more...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) //nolint:forbidigo // this process has no other purpose
	}
	os.Exit(0) //nolint:forbidigo // the same
}

// Serve does the tasks of a helper process, as Main does, for a program whose main function is not written in Go. It
// returns when the process that started this one ends or closes its decoder.
func Serve(more ...Tasks) error { return isolated.Serve(append(more, image.HelperTasks())...) }
