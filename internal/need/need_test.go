package need_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/internal/need"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// recorder is a testing.TB that only records skips and failures.
type recorder struct {
	testing.TB
	skipped, failed string
}

func (r *recorder) Helper() {}

func (r *recorder) Skipf(format string, a ...any) {
	r.skipped = fmt.Sprintf(format, a...)
	runtime.Goexit()
}

func (r *recorder) Fatalf(format string, a ...any) {
	r.failed = fmt.Sprintf(format, a...)
	runtime.Goexit()
}

// ended runs a test and returns the messages of its skip and its failure.
func ended(t *testing.T, test func(t testing.TB)) (skipped, failed string) {
	r, done := &recorder{TB: t}, make(chan struct{})
	go func() {
		defer close(done)
		test(r)
	}()
	<-done
	return r.skipped, r.failed
}

func TestSkip(t *testing.T) {
	for _, c := range []struct{ required, skipped, failed string }{
		{"", "needs stores: no server of 1", ""},
		{"shared,ffmpeg", "needs stores: no server of 1", ""},
		{"stores", "", "needs stores, which SPOOL_REQUIRE has: no server of 1"},
		{",shared, stores", "", "needs stores, which SPOOL_REQUIRE has: no server of 1"},
		{"shops", "", `SPOOL_REQUIRE has "shops", and the categories are [shared generated ffmpeg stores peers tools device system]`},
	} {
		t.Setenv(need.Variable, c.required)
		skipped, failed := ended(t, func(t testing.TB) { need.Skip(t, need.Stores, "no server of %d", 1) })
		assert.Equal(t, [2]string{c.skipped, c.failed}, [2]string{skipped, failed}, c.required)
	}
}

// Present dependencies are returned. A missing one is reported with its category.
func TestNeeds(t *testing.T) {
	t.Setenv(need.Variable, "")
	t.Setenv("SPOOL_TEST_CUDA", "")
	t.Setenv("SPOOL_PEERS_PYTHON", "/nowhere/python")
	for want, test := range map[string]func(t testing.TB){
		"needs tools: no command no-such-command": func(t testing.TB) {
			need.Command(t, "no-such-command")
		},
		"needs stores: no bin/tools/nothing, which make stores builds":  func(t testing.TB) { need.Store(t, "nothing") },
		"needs peers: no PIL.Image in the Python of SPOOL_PEERS_PYTHON": func(t testing.TB) { need.Peer(t, "PIL.Image") },
		"needs device: no SPOOL_TEST_CUDA=real":                         func(t testing.TB) { need.GPU(t) },
		"": func(t testing.TB) {
			assert.FileExists(t, need.Command(t, "go"))
		},
	} {
		skipped, failed := ended(t, test)
		assert.Equal(t, [2]string{want, ""}, [2]string{skipped, failed})
	}
	skipped, _ := ended(t, func(t testing.TB) { need.Media(t, "no such file") })
	assert.Regexp(t, "^needs shared: no (no such file in )?../shared/media$", skipped)
	t.Setenv("PATH", "")
	skipped, _ = ended(t, func(t testing.TB) { need.Command(t, "ffprobe") })
	assert.Equal(t, "needs ffmpeg: no command ffprobe", skipped)
	t.Setenv("SPOOL_TEST_CUDA", "real")
	skipped, _ = ended(t, func(t testing.TB) { need.GPU(t) })
	assert.Empty(t, skipped)
}
