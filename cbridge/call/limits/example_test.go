//go:build !asan

package limits_test

import (
	"fmt"
	"os"
	"os/exec"

	_ "github.com/spoolmedia/spool/cbridge/call/limits"
)

func Example() {
	binary, err := os.Executable()
	if err != nil {
		panic(err)
	}
	c := exec.Command("sh", "-c", `ulimit -v 1000000 && exec "$0"`, binary)
	c.Env = append(os.Environ(), asStarted+"=yes")
	_ = c.Run() // ProcessState has the exit code
	fmt.Println(c.ProcessState)
	// Output: exit status 2
}
