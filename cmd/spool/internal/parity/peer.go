package parity

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/resize"
)

// peerScript runs in Python. Its docstring describes the protocol.
//
//go:embed peer.py
var peerScript string

// request is a request for an image, followed by the file's bytes.
type request struct {
	Width   int           `json:"width,omitempty"`
	Height  int           `json:"height,omitempty"`
	Mode    resize.Mode   `json:"mode"`
	Shorter int           `json:"shorter,omitempty"`
	MaxSize int           `json:"max_size,omitempty"`
	Crop    []int         `json:"crop,omitempty"` // width, height
	Box     []int         `json:"box,omitempty"`  // left, top, width, height
	Filter  resize.Filter `json:"filter"`
	Orient  bool          `json:"orient"`
}

func newPeerRequest(s resize.Spec, orient bool) request {
	r := request{Width: s.Width, Height: s.Height, Mode: s.Mode, Shorter: s.Shorter, MaxSize: s.MaxSize,
		Filter: s.Filter, Orient: orient}
	if s.CropWidth > 0 {
		r.Crop = []int{s.CropWidth, s.CropHeight}
	}
	if b := s.Box; b != (resize.Rect{}) {
		r.Box = []int{b.Left, b.Top, b.Width, b.Height}
	}
	return r
}

// peerImage is RGB, uint8, rows without gaps.
type peerImage struct {
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Reader string `json:"reader"` // the decoder that read it: torchvision does not read all formats that its users load
	Error  string `json:"error"`
	pixels []byte
}

// peerHello is the first message of the process, after it has imported its packages or failed to.
type peerHello struct {
	Python     string            `json:"python"`
	Executable string            `json:"executable"`
	Versions   map[string]string `json:"versions"`
	Error      string            `json:"error"`
}

// refusal is the reason why a peer has no pixels of an image.
type refusal string

func (r refusal) Error() string { return string(r) }

// peer is another loader in a Python process. Only one goroutine may use it at a time.
type peer struct {
	against   string // the package
	python    string // the interpreter
	maxPixels int64  // of an image that it decodes; below 1: any number
	maxBytes  int64  // of a result; below 1: any number

	process *exec.Cmd // nil: not running
	stdin   io.WriteCloser
	stdout  *bufio.Reader
	stderr  lastLine
	hello   peerHello
	pixels  []byte // of the last image, reused
}

// start runs the process and waits for its first message. hello reports a missing package.
func (p *peer) start(ctx context.Context) error {
	process := exec.CommandContext(ctx, p.python, "-c", peerScript, p.against, strconv.FormatInt(max(p.maxPixels, 0), 10)) //nolint:gosec // the user's own
	p.stderr = ""
	process.Stderr = &p.stderr
	process.WaitDelay = time.Second // python3 may be a script that runs another process
	stdin, err := process.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := process.StdoutPipe()
	if err != nil {
		return err
	}
	if err := process.Start(); err != nil {
		return err
	}
	p.process, p.stdin, p.stdout, p.hello = process, stdin, bufio.NewReaderSize(stdout, 1<<16), peerHello{}
	if _, err := p.receive(&p.hello, func(n uint64) ([]byte, error) { return nil, tooLong(n, 0) }); err != nil {
		return p.died(ctx, err)
	}
	return nil
}

// image makes the peer decode a file. A refusal concerns this file only. If the process has ended, the next call
// starts another one. The pixels are valid until the next call.
func (p *peer) image(ctx context.Context, data []byte, r request) (peerImage, error) {
	if p.process == nil {
		if err := p.start(ctx); err != nil {
			return peerImage{}, err
		}
	}
	sent := make(chan error, 1)
	go func() { sent <- p.send(r, data) }()
	var got peerImage
	pixels, err := p.receive(&got, func(n uint64) ([]byte, error) {
		want := 3 * uint64(got.Width) * uint64(got.Height)
		if got.Width < 0 || got.Height < 0 || n != want || p.maxBytes > 0 && n > uint64(p.maxBytes) {
			return nil, tooLong(n, want)
		}
		if uint64(cap(p.pixels)) < n {
			p.pixels = make([]byte, n)
		}
		return p.pixels[:n], nil
	})
	if err != nil {
		err = p.died(ctx, err) // first, since it ends a send that blocks
	}
	if failed := <-sent; err == nil && failed != nil {
		err = p.died(ctx, failed)
	}
	switch {
	case err != nil:
		return peerImage{}, err
	case got.Error != "":
		return peerImage{}, refusal(got.Error)
	}
	got.pixels = pixels
	return got, nil
}

func tooLong(n, want uint64) error {
	return fmt.Errorf("its answer has %d bytes where %d belong", n, want)
}

// died ends a process that does not answer correctly, and returns the reason: a refusal, unless ctx has ended.
func (p *peer) died(ctx context.Context, err error) error {
	p.stdin.Close()
	_ = p.process.Process.Kill() // unless it has ended
	_ = p.process.Wait()
	state := p.process.ProcessState
	p.process = nil
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	text := fmt.Sprintf("%s ended: %v", p.python, state)
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		text = fmt.Sprintf("%s was ended: %v", p.python, err)
	}
	if p.stderr != "" {
		text += ": " + string(p.stderr)
	}
	return refusal(text)
}

// close ends the process.
func (p *peer) close() {
	if p.process != nil {
		p.stdin.Close()
		_ = p.process.Process.Kill() // it has no state to lose
		_ = p.process.Wait()
		p.process = nil
	}
}

// maxHeader bounds the JSON of a message.
const maxHeader = 1 << 20

func (p *peer) send(header any, data []byte) error {
	text, err := json.Marshal(header)
	if err != nil {
		return err
	}
	for _, frame := range [][]byte{text, data} {
		if err := binary.Write(p.stdin, binary.LittleEndian, uint64(len(frame))); err != nil {
			return err
		}
		if _, err := p.stdin.Write(frame); err != nil {
			return err
		}
	}
	return nil
}

// receive reads a message: its JSON into header, its bytes into memory, which is called once header is known.
func (p *peer) receive(header any, memory func(n uint64) ([]byte, error)) ([]byte, error) {
	var n uint64
	if err := binary.Read(p.stdout, binary.LittleEndian, &n); err != nil {
		return nil, err
	}
	if n > maxHeader {
		return nil, tooLong(n, maxHeader)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(p.stdout, text); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, header); err != nil {
		return nil, err
	}
	if err := binary.Read(p.stdout, binary.LittleEndian, &n); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, nil
	}
	data, err := memory(n)
	if err == nil {
		_, err = io.ReadFull(p.stdout, data)
	}
	return data, err
}

// lastLine keeps the last line that is written to it, which is the message of a traceback.
type lastLine string

func (l *lastLine) Write(text []byte) (int, error) {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		*l = lastLine(last[:min(len(last), 500)])
	}
	return len(text), nil
}

// packages describe how to install a peer: the arguments of pip, with releases whose bytes a profile reproduces, and a
// note.
var packages = map[string]struct{ pip, note string }{
	"pillow": {pip: "'pillow==13.0.*'"},
	"torchvision": {pip: "'torchvision==0.29.*' 'pillow==13.0.*'",
		note: "    (gigabytes; with --extra-index-url https://download.pytorch.org/whl/cpu, some hundred megabytes)\n"},
	"opencv": {pip: "opencv-python-headless"},
}

// missing returns how to install what the peer lacks.
func (p *peer) missing() string {
	pkg := packages[p.against]
	return fmt.Sprintf("spool: parity: %s (Python %s) lacks %s: %s. To install it in a virtual environment:\n"+
		"    python3 -m venv peers\n    peers/bin/pip install %s\n%sand then again with --python peers/bin/python\n",
		p.hello.Executable, p.hello.Python, p.against, output.OneLine(p.hello.Error), pkg.pip, pkg.note)
}
