package need

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Variable is the environment variable that lists the required categories, separated by commas.
const Variable = "SPOOL_REQUIRE"

// Category is a category of dependencies of tests.
type Category string

const (
	Shared    Category = "shared"    // ../shared, next to the repository
	Generated Category = "generated" // the media that `make bench-media` writes

	FFmpeg Category = "ffmpeg" // the commands ffmpeg and ffprobe
	Stores Category = "stores" // the servers that `make stores` builds
	Tools  Category = "tools"  // other commands: an emulator, a compiler, a browser, an encoder
	Peers  Category = "peers"  // packages of the Python interpreter in SPOOL_PEERS_PYTHON, by default python3

	Device Category = "device" // a GPU, with SPOOL_TEST_CUDA=real
	System Category = "system" // user rights, and features of the kernel and of the installed libraries
)

var categories = []Category{Shared, Generated, FFmpeg, Stores, Peers, Tools, Device, System}

// Skip skips a test with the message "needs CATEGORY: ...", or fails it if the category is required.
func Skip(t testing.TB, c Category, format string, arguments ...any) {
	t.Helper()
	missing := fmt.Sprintf(format, arguments...)
	required := strings.FieldsFunc(os.Getenv(Variable), func(r rune) bool { return r == ',' || r == ' ' })
	for _, r := range required {
		if !slices.Contains(categories, Category(r)) {
			t.Fatalf("%s has %q, and the categories are %v", Variable, r, categories)
		}
	}
	if slices.Contains(required, string(c)) {
		t.Fatalf("needs %s, which %s has: %s", c, Variable, missing)
	}
	t.Skipf("needs %s: %s", c, missing)
}

// Media returns the path of a file or folder in ../shared/media.
func Media(t testing.TB, elem ...string) string {
	t.Helper()
	media := filepath.Join(root(t), "../shared/media")
	if !exists(media) {
		Skip(t, Shared, "no ../shared/media")
	}
	path := filepath.Join(append([]string{media}, elem...)...)
	if !exists(path) {
		Skip(t, Shared, "no %s in ../shared/media", filepath.Join(elem...))
	}
	return path
}

// Command returns the path of a command.
func Command(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		c := Tools
		if name == "ffmpeg" || name == "ffprobe" {
			c = FFmpeg
		}
		Skip(t, c, "no command %s", name)
	}
	return path
}

// Store returns the path of a program that `make stores` builds.
func Store(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(root(t), "bin/tools", name)
	if !exists(path) {
		Skip(t, Stores, "no bin/tools/%s, which make stores builds", name)
	}
	return path
}

// Peer returns a Python interpreter that can import a module.
func Peer(t testing.TB, module string) string {
	t.Helper()
	python := os.Getenv("SPOOL_PEERS_PYTHON")
	if python == "" {
		python = "python3"
	}
	if err := exec.CommandContext(t.Context(), python, "-c", "import "+module).Run(); err != nil { //nolint:gosec // the user's
		Skip(t, Peers, "no %s in the Python of SPOOL_PEERS_PYTHON", module)
	}
	return python
}

// GPU requires a real device.
func GPU(t testing.TB) {
	t.Helper()
	if os.Getenv("SPOOL_TEST_CUDA") != "real" {
		Skip(t, Device, "no SPOOL_TEST_CUDA=real")
	}
}

// root returns the relative path of the repository's root.
func root(t testing.TB) string {
	t.Helper()
	folder := "."
	for !exists(filepath.Join(folder, "go.mod")) {
		if len(folder) > 60 {
			t.Fatal("no go.mod above the test")
		}
		folder = filepath.Join("..", folder)
	}
	return folder
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// ARM64 skips a test on machines with arm64, and where SPOOL_EMULATED is not set, as make test-arm64 does. It returns
// the paths of a C compiler for arm64 and of an emulator.
func ARM64(t testing.TB) (compiler, emulator string) {
	t.Helper()
	if runtime.GOARCH == "arm64" || os.Getenv("SPOOL_EMULATED") == "" {
		t.Skip("for other machines, and for make test-arm64")
	}
	return Command(t, "aarch64-linux-gnu-gcc"), Command(t, "qemu-aarch64")
}
