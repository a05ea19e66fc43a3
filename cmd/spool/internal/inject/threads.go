package inject

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Threads describes each thread of a process and of its children: its state (T is stopped), the kernel function it
// waits in, and its system call, as /proc has them. It is for a command that hangs.
func Threads(process int) string {
	var out strings.Builder
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", process)) // none: it has ended
	for _, task := range tasks {
		state, _ := field(task+"/status", "State:")
		fmt.Fprintf(&out, "%s %s: %s, in %s, call %s\n", strings.TrimPrefix(task, "/proc/"), entry(task, "comm"), state,
			entry(task, "wchan"), entry(task, "syscall"))
		for child := range strings.FieldsSeq(entry(task, "children")) {
			var n int
			if _, err := fmt.Sscan(child, &n); err == nil {
				out.WriteString(Threads(n))
			}
		}
	}
	return out.String()
}

// entry is the content of a file of a task, or the error.
func entry(task, name string) string {
	content, err := os.ReadFile(filepath.Join(task, name))
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(content))
}
