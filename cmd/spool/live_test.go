package main

import (
	"bufio"
	"encoding/json"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/need"
)

// The page streams the state of a run. A request by another name for this machine is refused.
func TestLivePage(t *testing.T) {
	address := serves(t, "--serve", "spool: page at ")
	page := get(t, address)
	assert.Contains(t, page, "<h1>spool run images ")
	assert.NotRegexp(t, `(src|href)="?(http|//)`, page, "it needs no other file")
	assert.NotContains(t, page, "<script>alert", "the name of a file is no markup")
	r, err := http.Get(address + "events")
	require.NoError(t, err)
	defer r.Body.Close()
	lines := bufio.NewScanner(r.Body)
	lines.Buffer(nil, 1<<20)
	type state struct {
		Samples int64
		Stages  []struct {
			Name string
			Fill float64
		}
		Failures []struct{ ID, File, Class string }
		Memory   map[string]int64
	}
	var states []state
	for lines.Scan() {
		text, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var s state
		require.NoError(t, json.Unmarshal([]byte(text), &s), text)
		states = append(states, s)
		if len(states) > 1 && s.Samples > states[0].Samples && len(s.Failures) > 0 {
			break
		}
	}
	require.NotEmpty(t, states)
	last := states[len(states)-1]
	assert.Equal(t, "list", last.Stages[0].Name)
	for _, s := range last.Stages {
		assert.GreaterOrEqual(t, s.Fill, 0.0, s.Name)
		assert.LessOrEqual(t, s.Fill, 1.0, s.Name)
	}
	assert.Positive(t, last.Memory["slab"])
	require.NotEmpty(t, last.Failures)
	assert.Contains(t, last.Failures[0].File, "<script>")
	assert.Equal(t, "not-media", last.Failures[0].Class)
	other, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	other.Host = "evil.example"
	answer, err := http.DefaultClient.Do(other)
	require.NoError(t, err)
	defer answer.Body.Close()
	assert.Equal(t, http.StatusForbidden, answer.StatusCode)
	missing, err := http.Get(address + "thumbnail/0")
	require.NoError(t, err)
	defer missing.Body.Close()
	assert.Equal(t, http.StatusNotFound, missing.StatusCode, "only failures have one")
}

// The page gives a trace of the next seconds of the run.
func TestTraceOfRun(t *testing.T) {
	address := serves(t, "--serve", "spool: page at ")
	var all struct {
		TraceEvents []struct{ Ph, Name string }
	}
	require.NoError(t, json.Unmarshal([]byte(get(t, address+"trace?seconds=1")), &all))
	slices := map[string]int{}
	for _, e := range all.TraceEvents {
		if e.Ph == "X" {
			slices[e.Name]++
		}
	}
	assert.Positive(t, slices["list"])
	assert.Positive(t, slices["decode"])
	for _, wrong := range []string{"0", "61", "x"} {
		r, err := http.Get(address + "trace?seconds=" + wrong)
		require.NoError(t, err)
		defer r.Body.Close()
		assert.Equal(t, http.StatusBadRequest, r.StatusCode, wrong)
	}
}

// The page draws the current batch on request, as --save-first does, and requests at the same time do not disturb.
func TestSheetOfRun(t *testing.T) {
	address := serves(t, "--serve", "spool: page at ")
	var viewers sync.WaitGroup
	for range 4 {
		viewers.Go(func() {
			r, err := http.Get(address + "sheet")
			if !assert.NoError(t, err) {
				return
			}
			defer r.Body.Close()
			img, err := png.Decode(r.Body)
			if assert.NoError(t, err) && assert.Equal(t, "image/png", r.Header.Get("Content-Type")) {
				assert.Greater(t, img.Bounds().Dx(), 48)
				colors := map[color.Color]bool{}
				for i := range img.Bounds().Dx() * img.Bounds().Dy() / 7 {
					colors[img.At(7*i%img.Bounds().Dx(), 7*i/img.Bounds().Dx())] = true
				}
				assert.Greater(t, len(colors), 8, "photos have many colors")
			}
		})
	}
	viewers.Wait()
}

// A viewer that reads nothing, and many that do, lose no batch of a run.
func TestViewersLoseNoBatch(t *testing.T) {
	run := func(flags ...string) []string {
		c := process(t, append([]string{"run", "images", endless[2], "--size", "32", "--epochs", "30", "--digest", "--batch",
			"8"}, flags...)...)
		out, err := c.StdoutPipe()
		require.NoError(t, err)
		stderr, err := c.StderrPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		if len(flags) > 0 {
			line, err := bufio.NewReader(stderr).ReadString('\n')
			require.NoError(t, err)
			address := strings.TrimSpace(strings.TrimPrefix(line, "spool: page at "))
			for range 20 {
				r, err := http.Get(address + "events")
				require.NoError(t, err)
				defer r.Body.Close() // it is not read
			}
		}
		var batches []string
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if regexp.MustCompile(`^\d+ \d+ [0-9a-f]{64}$`).MatchString(lines.Text()) {
				batches = append(batches, lines.Text())
			}
		}
		require.NoError(t, c.Wait())
		return batches
	}
	alone := run()
	require.NotEmpty(t, alone)
	assert.Equal(t, alone, run("--serve", "127.0.0.1:0"))
}

// look has the page's load event wait for two states of the run, and then tells how wide and how bright the page is.
const look = `<img src="hold" hidden><script>
	let seen = 0;
	events.addEventListener("message", () => {
		if (++seen == 1) document.getElementById("draw").click();
		if (seen < 2 || !document.querySelector("#sheet p img")) return;
		const work = document.querySelectorAll("#workers polyline.work");
		document.body.dataset.points = Math.min(...[...work].map(p => p.points.length));
		document.body.dataset.charts = [...document.querySelectorAll("#workers svg")].filter(s =>
			s.getBoundingClientRect().width > 100 && s.getBoundingClientRect().height > 40).length;
		document.body.dataset.wide = document.documentElement.scrollWidth - innerWidth;
		document.body.dataset.color = getComputedStyle(document.body).color;
		new Image().src = "seen";
	});
</script></body>`

// looked serves the page at an address together with look.
func looked(t *testing.T, address string) string {
	target, err := url.Parse(address)
	require.NoError(t, err)
	seen, once := make(chan struct{}), new(sync.Once)
	mux := http.NewServeMux()
	mux.Handle("/", &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ModifyResponse: func(r *http.Response) error {
			if r.Request.URL.Path != "/" {
				return nil
			}
			text, err := io.ReadAll(r.Body)
			page := strings.Replace(string(text), "</body>", look, 1)
			r.Body = io.NopCloser(strings.NewReader(page))
			r.ContentLength = int64(len(page))
			r.Header.Set("Content-Length", strconv.Itoa(len(page)))
			return err
		}})
	mux.HandleFunc("/seen", func(http.ResponseWriter, *http.Request) { once.Do(func() { close(seen) }) })
	mux.HandleFunc("/hold", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-seen:
		case <-r.Context().Done():
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

// In a browser, the page shows the run as it goes on, no wider than the window, light and dark.
func TestLivePageInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-browser runs it")
	}
	browser := need.Command(t, "chromium")
	address := serves(t, "--serve", "spool: page at ")
	for _, x := range []struct {
		name, color string
		flags       []string
	}{
		{"wide", "rgb(0, 0, 0)", []string{"--window-size=1300,900"}},
		{"narrow", "rgb(0, 0, 0)", []string{"--window-size=500,900"}},
		{"phone", "rgb(0, 0, 0)", []string{"--window-size=390,844"}},
		{"very wide", "rgb(0, 0, 0)", []string{"--window-size=2560,1300"}},
		{"dark phone", "rgb(255, 255, 255)", []string{"--window-size=390,844", "--blink-settings=preferredColorScheme=0"}},
		{"dark", "rgb(255, 255, 255)", []string{"--window-size=1300,900", "--blink-settings=preferredColorScheme=0"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := exec.CommandContext(t.Context(), browser, append([]string{"--headless", "--no-sandbox", "--disable-gpu",
				"--disable-dev-shm-usage", "--user-data-dir=" + t.TempDir(), "--dump-dom", looked(t, address)}, x.flags...)...)
			c.WaitDelay = time.Minute // its other processes may end later
			dom, err := c.Output()
			require.NoError(t, err)
			text, _, _ := strings.Cut(string(dom), "<script>")
			body := regexp.MustCompile(
				`<body data-points="(\d+)" data-charts="(\d+)" data-wide="(-?\d+)" data-color="([^"]*)">`).FindStringSubmatch(text)
			require.NotNil(t, body, text)
			var seen [3]int
			for i, text := range body[1:4] {
				seen[i], err = strconv.Atoi(text)
				require.NoError(t, err)
			}
			points, charts, wide := seen[0], seen[1], seen[2]
			assert.GreaterOrEqual(t, points, 2, "each state adds a point")
			assert.GreaterOrEqual(t, charts, 5, "one for each stage")
			assert.LessOrEqual(t, wide, 0)
			assert.Equal(t, x.color, body[4])
			assert.Regexp(t, `<figcaption>decode: \d+ of \d+ at work, queue \d+ %</figcaption>`, text)
			assert.Contains(t, text, "<td>decode</td>")
			assert.Regexp(t, `<img alt="contact sheet[^>]*src="sheet\?1"`, text)
			assert.Regexp(t, `after \d+ s`, text)
			assert.Contains(t, text, "&lt;script&gt;alert", "a name of a file is text")
			assert.NotContains(t, text, "alert(\"x\")<script>")
		})
	}
}
