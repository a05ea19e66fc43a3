// Command meter runs commands and reports the cost of each. It reads and writes the JSON of []cost.
//
// The tests' own process cannot do that: the system counts the memory of a parent as that of its child, and tests take
// much.
package main

import (
	"encoding/json"
	"log"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// cost is the cost and result of a command.
type cost struct {
	Args []string
	Code int
	Wall float64 // seconds
	CPU  float64 // seconds, in user and system mode
	RSS  int64   // peak, in MiB
}

func main() {
	var costs []cost
	if err := json.NewDecoder(os.Stdin).Decode(&costs); err != nil {
		log.Fatal(err)
	}
	for i := range costs {
		begin := time.Now()
		c := exec.Command(costs[i].Args[0], costs[i].Args[1:]...)
		_ = c.Run() // the state has more
		costs[i].Code = c.ProcessState.ExitCode()
		costs[i].Wall = time.Since(begin).Seconds()
		costs[i].CPU = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
		costs[i].RSS = c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10
	}
	if err := json.NewEncoder(os.Stdout).Encode(costs); err != nil {
		log.Fatal(err)
	}
}
