package inject

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// name is the first argument of a process that Main turns into a command.
const name = "spool-inject"

// socketFile is the descriptor of the socket to the test.
const socketFile = 3

// Main turns this process into a command if Run has started it, and returns otherwise. A test binary calls it first.
func Main() {
	if len(os.Args) < 4 || os.Args[0] != name {
		return
	}
	err := become(strings.Split(os.Args[1], ","), os.Args[2], os.Args[3:])
	fmt.Fprintln(os.Stderr, "spool-inject:", err)
	os.Exit(1)
}

// become installs the filter on this thread, and runs the command. Another thread, which has no filter, sends the
// descriptor: until the test has it, an announced call of this thread would never return.
func become(calls []string, path string, args []string) error {
	known, err := numbers(calls)
	if err != nil {
		return err
	}
	listener, sent := make(chan int), make(chan error)
	go func() { sent <- unix.Sendmsg(socketFile, []byte{0}, unix.UnixRights(<-listener), nil, 0) }()
	runtime.LockOSThread()
	file, err := install(known)
	if err != nil {
		return err
	}
	listener <- file
	if err := <-sent; err != nil {
		return fmt.Errorf("sendmsg: %w", err)
	}
	unix.CloseOnExec(socketFile)
	return syscall.Exec(path, args, os.Environ()) //nolint:gosec // the test's command
}

// ErrRefused is in the errors of systems that do not announce calls.
var ErrRefused = errors.New("the system does not announce calls")

// Run runs a command to its end, as its method Run. decide is asked about each call of these names, one call at a
// time, and may keep c only until it returns.
func Run(c *exec.Cmd, calls []string, decide func(*Call) Outcome) error {
	known, err := numbers(append(calls, "execve"))
	if err != nil {
		return err
	}
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(ends[0]) }()
	theirs := os.NewFile(uintptr(ends[1]), "socket of a test")
	c.Args = append([]string{name, strings.Join(append(calls, "execve"), ","), c.Path}, c.Args...)
	c.Path, c.ExtraFiles = "/proc/self/exe", []*os.File{theirs}
	err = c.Start()
	theirs.Close()
	if err != nil {
		return err
	}
	listener, err := receive(ends[0])
	if err != nil {
		if ended := c.Wait(); !c.ProcessState.Exited() { // by a signal
			return ended
		}
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	answered := make(chan error, 1)
	go func() { answered <- answer(listener, known, decide) }()
	err = c.Wait()
	return errors.Join(err, <-answered)
}

// receive receives a descriptor.
func receive(socket int) (int, error) {
	space := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(socket, make([]byte, 1), space, unix.MSG_CMSG_CLOEXEC)
	if err != nil || n == 0 {
		return 0, errors.Join(errors.New("the command did not start"), err)
	}
	messages, err := unix.ParseSocketControlMessage(space[:n])
	if err != nil {
		return 0, err
	}
	files, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return 0, err
	}
	return files[0], nil
}

// answer answers calls until no process has the filter.
func answer(listener int, known map[int]string, decide func(*Call) Outcome) error {
	defer func() { _ = unix.Close(listener) }()
	maps := &mappings{known: map[int][]mapping{}}
	begun := false
	for {
		ready := []unix.PollFd{{Fd: int32(listener), Events: unix.POLLIN}}
		if _, err := unix.Poll(ready, -1); err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
		if ready[0].Revents&unix.POLLIN == 0 {
			if ready[0].Revents != 0 {
				return nil
			}
			continue
		}
		var n notification
		err := ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n))
		if errors.Is(err, unix.ENOENT) { // a signal has ended the thread
			continue
		}
		if err != nil {
			return err
		}
		c := &Call{Name: known[int(n.Number)], Args: n.Args, thread: int(n.Thread)}
		r := response{ID: n.ID, Flags: goOn}
		switch {
		case c.Name == "execve":
			begun = true
			maps.forget(c.thread)
		case begun:
			c.describe(maps, n.Pointer)
			r = c.response(n.ID, decide(c))
		}
		if err := ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r)); err != nil &&
			!errors.Is(err, unix.ENOENT) {
			return err
		}
	}
}

// response is the answer to the kernel.
func (c *Call) response(id uint64, o Outcome) response {
	if c.Name == clockCall && !o.Clock.IsZero() {
		if err := c.show(o.Clock); err != nil {
			return response{ID: id, Error: -int32(unix.EFAULT)}
		}
		return response{ID: id}
	}
	if o.Err == 0 && (o.Short == 0 || !c.regular()) {
		return response{ID: id, Flags: goOn}
	}
	n, code := 0, o.Err
	if code == 0 {
		var err error
		if n, err = c.short(o.Short); err != nil && !errors.As(err, &code) {
			code = unix.EIO
		}
	}
	if code != 0 {
		return response{ID: id, Error: -int32(code)}
	}
	return response{ID: id, Value: int64(n)}
}
