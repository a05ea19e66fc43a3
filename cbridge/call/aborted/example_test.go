package aborted_test

import (
	"fmt"
	"os"
	"os/exec"

	_ "github.com/spoolmedia/spool/cbridge/call/aborted"
)

func Example() {
	binary, err := os.Executable()
	if err != nil {
		panic(err)
	}
	c := exec.Command(binary) // this test binary, which panics in a goroutine
	c.Env = append(os.Environ(), asCrash+"=panic of a goroutine")
	_ = c.Run() // ProcessState has the exit code
	fmt.Println(c.ProcessState)
	// Output: exit status 3
}
