package isolate_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/isolate"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/helper"
	"github.com/spoolmedia/spool/internal/leaktest"
)

// TestMain makes this program a helper, which does what a malicious file might make it do.
func TestMain(m *testing.M) {
	isolate.Main(obeying(video.HelperTasks()), obeying(audio.HelperTasks()))
	leaktest.Main(m, decodetest.Leaks()...)
}

// The commands are values of specs: the end of a window of audio, and the red of video.Spec.Fill.
const (
	crash = 201 + iota
	loop
	allocate
	lie
)

// obeying makes a helper obey commands.
func obeying(t isolate.Tasks) isolate.Tasks {
	start := t.Start
	t.Start = func(d *decode.Decoder) (helper.Handler, error) {
		do, err := start(d)
		return func(c *helper.Call) (any, error) {
			for what, texts := range map[int][2]string{crash: {`"R":201,`, `"End":201,`}, loop: {`"R":202,`, `"End":202,`},
				allocate: {`"R":203,`, `"End":203,`}, lie: {`"R":204,`, `"End":204,`}} {
				if bytes.Contains(c.Head, []byte(texts[0])) || bytes.Contains(c.Head, []byte(texts[1])) {
					return obey(what, c.Output)
				}
			}
			return do(c)
		}, err
	}
	return t
}

// obey does what a command says.
func obey(what int, output []byte) (any, error) {
	switch what {
	case crash:
		return nil, unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGSEGV)
	case loop:
		for i := 0; ; i++ {
			output[0] = byte(i)
		}
	case allocate:
		var all [][]byte
		for range 100 {
			all = append(all, bytes.Repeat([]byte{1}, 1<<30))
		}
		return len(all), nil
	}
	return json.RawMessage(`[{"Report":{"Desc":{"Shape":[1000000,1000000]}}}]`), nil
}
