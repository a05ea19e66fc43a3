package inject

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// notification is the kernel's struct seccomp_notif.
type notification struct {
	ID      uint64
	Thread  uint32
	Flags   uint32
	Number  int32
	Machine uint32
	Pointer uint64
	Args    [6]uint64
}

// response is struct seccomp_notif_resp.
type response struct {
	ID    uint64
	Value int64
	Error int32
	Flags uint32
}

// goOn is SECCOMP_USER_NOTIF_FLAG_CONTINUE.
const goOn = 1

// install has the kernel announce calls of this thread, and of the programs that it becomes and starts. Of those that
// read a clock, it announces those of the wall clock. It returns the descriptor of the announcements.
func install(calls map[int]string) (listener int, err error) {
	if len(calls) > 200 { // jumps have 8 bits
		return 0, fmt.Errorf("%d calls are too many", len(calls))
	}
	program := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}} // the number of the call
	left := len(calls)
	for number, name := range calls {
		to := left // the end that announces
		if name == clockCall {
			to++ // the comparison after it
		}
		program = append(program, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: uint8(to),
			K: uint32(number)})
		left--
	}
	const firstArgument = 16 // in the kernel's struct seccomp_data
	allow := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}
	announce := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_USER_NOTIF}
	program = append(program, allow, announce,
		unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: firstArgument},
		unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: unix.CLOCK_REALTIME}, announce, allow)
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return 0, fmt.Errorf("no_new_privs: %w", err)
	}
	whole := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	// Go's own signals must not interrupt a call that was announced: it would be announced twice.
	const flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	n, _, code := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&whole)))
	if code != 0 {
		return 0, fmt.Errorf("seccomp: %w", code)
	}
	return int(n), nil
}

func ioctl(file int, request uint, p unsafe.Pointer) error {
	for {
		_, _, code := unix.Syscall(unix.SYS_IOCTL, uintptr(file), uintptr(request), uintptr(p))
		switch code {
		case 0:
			return nil
		case unix.EINTR:
		default:
			return code
		}
	}
}
