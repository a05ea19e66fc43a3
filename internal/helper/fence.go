package helper

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool/internal/proc"
)

// Fence says what keeps a helper from harm. An empty field is a limit in force, any other says why it is not.
type Fence struct {
	Calls  string // the system refuses all calls but those of allowed: no file, no network, no other process
	Memory string // tasks cannot allocate more than Options.Memory
}

// raise takes all rights from this process that a task does not need. It cannot be undone.
func raise(memory int64) (f Fence) {
	dieOfSignals()
	if err := limitMemory(memory); err != nil {
		f.Memory = err.Error()
	}
	if err := limitCalls(); err != nil {
		f.Calls = err.Error()
	}
	return f
}

// dieOfSignals lets faults end the process by their signals, from which Pool.Do makes the error's text. Go would print
// stacks and end it with an exit code.
func dieOfSignals() {
	var byDefault [4]uint64 // a sigaction of the kernel: SIG_DFL, no flags, no mask
	for _, s := range []unix.Signal{unix.SIGSEGV, unix.SIGBUS, unix.SIGFPE, unix.SIGILL, unix.SIGABRT, unix.SIGTRAP} {
		_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(&byDefault)), 0, 8, 0, 0)
	}
}

// limitMemory bounds the address space: that of now, and what tasks may allocate.
func limitMemory(bytes int64) error {
	size, _, err := proc.Memory()
	if err != nil {
		return err
	}
	for resource, value := range map[int]uint64{unix.RLIMIT_AS: uint64(size + bytes), unix.RLIMIT_CORE: 0} {
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: value, Max: value}); err != nil {
			return fmt.Errorf("setrlimit: %w", err)
		}
	}
	return nil
}

// allowed are the calls that a task may make, where the machine has them: for memory, threads, time, and open files.
var allowed = []string{
	"read", "readv", "write", "writev", "pread64", "close", "lseek", "fstat", "newfstatat", "fcntl",
	"mmap", "munmap", "mprotect", "mremap", "madvise", "brk", "mincore",
	"futex", "set_robust_list", "rseq", "set_tid_address", "membarrier", "gettid", "getpid", "exit", "exit_group",
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigtimedwait", "sigaltstack", "restart_syscall",
	"sched_yield", "sched_getaffinity", "getcpu", "get_mempolicy", "getrandom", "uname", "sysinfo",
	"nanosleep", "clock_nanosleep", "clock_gettime", "clock_getres", "gettimeofday", "time",
	"getrusage", "getrlimit", "timer_create", "timer_settime", "timer_delete",
	"poll", "ppoll", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "eventfd2", "pipe2", "arch_prctl",
}

// limitCalls lets the system refuse all calls but those of allowed, on all threads. A refused call fails with EPERM:
// libraries do without what it would give, and a decoder that a file has taken over has nothing to call.
func limitCalls() error {
	runtime.LockOSThread() // no_new_privs is set on one thread, and then needed there
	defer runtime.UnlockOSThread()
	info, err := arch.GetInfo("")
	if err != nil {
		return err
	}
	names := slices.DeleteFunc(slices.Clone(allowed), func(name string) bool {
		_, has := info.SyscallNames[name]
		return !has
	})
	only := func(argument uint32, operation seccomp.Operation, value uint64) seccomp.ArgumentConditions {
		return seccomp.ArgumentConditions{{Argument: argument, Operation: operation, Value: value}}
	}
	err = seccomp.LoadFilter(seccomp.Filter{NoNewPrivs: true, Flag: seccomp.FilterFlagTSync, Policy: seccomp.Policy{
		DefaultAction: seccomp.ActionErrno,
		Syscalls: []seccomp.SyscallGroup{
			{Action: seccomp.ActionAllow, Names: names, NamesWithCondtions: []seccomp.NameWithConditions{
				{Name: "clone", Conditions: only(0, seccomp.BitsSet, unix.CLONE_THREAD)},    // threads, not processes
				{Name: "tgkill", Conditions: only(0, seccomp.Equal, uint64(unix.Getpid()))}, // signals to itself
				{Name: "prctl", Conditions: only(0, seccomp.Equal, unix.PR_SET_NAME)},       // names of threads
				{Name: "prlimit64", Conditions: only(2, seccomp.Equal, 0)},                  // only reads
			}},
			// Its flags are in memory, where a filter cannot look. The C library then calls clone.
			{Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS), Names: []string{"clone3"}},
		}}})
	if err != nil {
		return err
	}
	if _, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0); !errors.Is(err, unix.EPERM) {
		return fmt.Errorf("the system opens a file in spite of the filter: %w", err)
	}
	return nil
}
