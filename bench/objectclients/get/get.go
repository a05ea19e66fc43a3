// Package get measures clients of object stores: the cost of one GET of a photo with each.
//
//	go run ./minio; go run ./aws; go run ./signed
//
// For the size that a client adds to a program, run go build -trimpath -ldflags='-s -w' on each. See docs/adr/0019.
package get

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Size is the size of the object in bytes, like a photo of ImageNet.
const Size = 110_000

const gets = 3000

// serve starts the server and returns its URL.
func serve() string {
	content := make([]byte, Size)
	written := time.Now()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Etag", `"1"`)
		http.ServeContent(w, r, "x.jpg", written, bytes.NewReader(content))
	}))
	return server.URL
}

// Measure prints the cost of one call of get. newGet gets the URL of a server, which runs in its own process.
func Measure(name string, newGet func(endpoint string) func(p []byte)) {
	if os.Getenv("SERVE") != "" {
		fmt.Println(serve())
		select {}
	}
	self, err := os.Executable()
	check(err)
	server := exec.Command(self)
	server.Env = append(os.Environ(), "SERVE=1")
	out, err := server.StdoutPipe()
	check(err)
	check(server.Start())
	defer server.Process.Kill()
	var endpoint string
	_, err = fmt.Fscan(out, &endpoint)
	check(err)

	get := newGet(endpoint)
	p := make([]byte, Size)
	get(p)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, began := processTime(), time.Now()
	for range gets {
		get(p)
	}
	took := time.Since(began)
	cpu = processTime() - cpu
	runtime.ReadMemStats(&after)
	fmt.Printf("%-7s a GET of %d bytes: %v, %v of CPU, %d allocations of %d bytes\n", name, Size,
		(took / gets).Round(time.Microsecond),
		(cpu / gets).Round(time.Microsecond), (after.Mallocs-before.Mallocs)/gets, (after.TotalAlloc-before.TotalAlloc)/gets)
}

func processTime() time.Duration {
	var u syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
