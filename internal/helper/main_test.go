package helper_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/helper"
	"github.com/spoolmedia/spool/internal/leaktest"
)

// TestMain makes the test program its own helper.
func TestMain(m *testing.M) {
	if os.Args[0] == helper.Name {
		if err := helper.Serve(startHelper); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	leaktest.Main(m, leaktest.Count{Name: "child processes", Now: children})
}

func children() int64 {
	pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG|syscall.WNOWAIT, nil)
	if errors.Is(err, syscall.ECHILD) {
		return 0
	}
	return int64(max(pid, 1))
}

// command is the head of a task in these tests.
type command struct {
	Do   string
	Size int
}

func startHelper(setup json.RawMessage) (helper.Handler, error) {
	if string(setup) == `"refuse"` {
		return nil, errors.New("cannot start: no such library")
	}
	return func(c *helper.Call) (any, error) {
		var what command
		if err := json.Unmarshal(c.Head, &what); err != nil {
			return nil, err
		}
		return what.run(c)
	}, nil
}

func (w command) run(c *helper.Call) (any, error) {
	switch w.Do {
	case "echo":
		for i, b := range c.Input {
			c.Output[len(c.Input)-1-i] = b
		}
		return len(c.Input), nil
	case "ask":
		var answer string
		if err := c.Ask("the question", &answer); err != nil {
			return nil, err
		}
		return answer + "!", nil
	case "ask and echo":
		var answer int
		if err := c.Ask("the question", &answer); err != nil {
			return nil, err
		}
		copy(c.Output, c.Input)
		return answer, nil
	case "ask pid": // it waits for a signal, unless there is none
		var answer string
		if err := c.Ask(os.Getpid(), &answer); err != nil {
			return nil, err
		}
		if len(c.Input) > 0 { // it will be killed
			select {}
		}
		return answer, nil
	case "topic":
		return c.Topic, nil
	case "pid":
		return os.Getpid(), nil
	case "fail":
		return nil, &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Lib: "libx", Code: 7, Text: "bad"}
	case "shape":
		return nil, fmt.Errorf("%w: 3 and 4", spool.ErrShape)
	case "odd":
		return nil, errors.New("odd")
	case "crash":
		return *(*int)(unsafe.Pointer(&c.Input[0])) + **(**int)(unsafe.Pointer(&c.Output[0])), nil
	case "abort":
		return nil, unix.Tgkill(os.Getpid(), unix.Gettid(), syscall.SIGABRT)
	case "panic":
		panic("out of luck")
	case "exit":
		os.Exit(9)
	case "loop":
		for i := 0; ; i++ {
			c.Output[0] = byte(i)
		}
	case "sleep":
		select {}
	case "allocate":
		all := make([][]byte, 0, 1000)
		for range w.Size {
			block := make([]byte, 1<<30)
			for i := 0; i < len(block); i += 4096 {
				block[i] = 1
			}
			all = append(all, block)
		}
		return len(all), nil
	case "lie":
		_, err := unix.Write(3, []byte{99, 255, 255, 255, 255})
		return nil, err
	case "write":
		for i := 0; i < len(c.Output); i += 4096 {
			c.Output[i] = 1
		}
		return nil, nil
	}
	return escapes[w.Do](), nil
}

// escapes are what a helper may not do. Each returns the error's text.
var escapes = map[string]func() string{
	"read a file": func() string { _, err := os.ReadFile("/etc/passwd"); return text(err) },
	"write a file": func() string {
		return text(os.WriteFile("/tmp/spool-helper-escaped", []byte("x"), 0o600))
	},
	"list a folder":     func() string { _, err := os.ReadDir("/"); return text(err) },
	"look at a file":    func() string { return text(unix.Access("/etc/passwd", unix.R_OK)) },
	"open a socket":     func() string { _, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0); return text(err) },
	"open a local one":  func() string { _, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0); return text(err) },
	"start a program":   func() string { return text(exec.Command("/bin/true").Run()) },
	"replace itself":    func() string { return text(unix.Exec("/bin/true", []string{"true"}, nil)) },
	"signal its parent": func() string { return text(unix.Kill(os.Getppid(), 0)) },
	"trace its parent":  func() string { return text(unix.PtraceAttach(os.Getppid())) },
	"raise its limits": func() string {
		return text(unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: 0, Max: 0}))
	},
	"fork": func() string {
		_, _, err := syscall.RawSyscall(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0)
		return err.Error()
	},
	"cut the memory": func() string { return text(unix.Ftruncate(4, 0)) },
}

func text(err error) string {
	if err == nil {
		return "done"
	}
	return err.Error()
}
