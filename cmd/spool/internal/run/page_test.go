package run

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"html"
	"image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/cmd/spool/internal/failures"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/tally"
)

// aPage writes the page of a run with failures, and returns what the run printed.
func aPage(t *testing.T) (name, text string, s tally.Tally) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "run.html")
	o := tool.Run("run", "images", clitest.Media+"/photos", clitest.Media+"/hard", "--size", "32", "--epochs", "2",
		"--workers", "2", "--json", "--report", name)
	require.Zero(t, o.Code, o.Stderr)
	require.NoError(t, json.Unmarshal([]byte(o.Stdout), &s))
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	return name, string(data), s
}

func TestPage(t *testing.T) {
	_, text, s := aPage(t)
	assert.Contains(t, text, html.EscapeString(s.Verdict))
	assert.Contains(t, text, "<h1>spool run images ")
	for _, stage := range s.Stages {
		assert.Regexp(t, `<tr><td>`+stage.Name+`<td>`, text)
	}
	drawn := regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(text, -1)
	require.Len(t, drawn, 6)
	for i, svg := range drawn {
		require.NoError(t, xml.Unmarshal([]byte(svg), new(struct{})), "%d", i)
		assert.NotContains(t, svg, "NaN")
		assert.NotContains(t, svg, "Inf")
	}
	_, table, found := strings.Cut(text, `id="failures"`)
	require.True(t, found)
	rows := strings.Count(table, "<tr><td>")
	assert.Equal(t, min(int(s.Failed)/2, failures.Most), rows, "each file once, though it failed in both epochs")
	assert.Contains(t, text, `src="data:image/jpeg;base64,`, "what there is of a truncated image")
	assert.NotRegexp(t, `(src|href)="(http|//|/)`, text, "it needs no other file")
}

// Thumbnails show any sample: a member of a shard, or the first frame of a video.
func TestPageThumbnails(t *testing.T) {
	folder := t.TempDir()
	shard := filepath.Join(folder, "a.tar.gz")
	clitest.Pack(t, shard, map[string][]byte{"0.jpg": clitest.Content(t, "photos/animal/00.jpg"),
		"1.jpg": clitest.Content(t, "hard/bad/truncated60.jpg"), "2.jpg": clitest.Content(t, "hard/bad/text.jpg")})
	damaged := clitest.Media + "/video/damaged.mp4"
	for _, c := range []struct {
		args          []string
		failed, shown int
	}{
		{[]string{"run", "images", shard, "--mix", "a.tar.gz=1"}, 2, 1},
		{[]string{"run", "video", clitest.Clip, damaged, clitest.Media + "/video/noindex.mp4", "--frames", "16", "--size",
			"16"}, 2, 1},
	} {
		name := filepath.Join(folder, c.args[1]+".html")
		o := tool.Run(clitest.With(c.args, "--report", name)...)
		require.Zero(t, o.Code, o.Stderr)
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		_, rows, found := strings.Cut(string(data), `id="failures"`)
		require.True(t, found)
		assert.Equal(t, c.failed, strings.Count(rows, "<tr><td>"))
		assert.Equal(t, c.shown, strings.Count(rows, "<img "))
		for _, image := range regexp.MustCompile(`src="data:image/jpeg;base64,([^"]*)"`).FindAllStringSubmatch(rows, -1) {
			file, err := base64.StdEncoding.DecodeString(html.UnescapeString(image[1]))
			require.NoError(t, err)
			size, err := jpeg.DecodeConfig(bytes.NewReader(file))
			require.NoError(t, err)
			assert.Equal(t, []int{96, 72}, []int{size.Width, size.Height})
		}
	}
}

// Names are untrusted, and may contain anything.
func TestPageEscapes(t *testing.T) {
	folder := clitest.Link(t, map[string]string{"good.jpg": "photos/animal/00.jpg",
		"<script>alert(1)<!--.jpg": "hard/bad/text.jpg"})
	name := filepath.Join(t.TempDir(), "run.HTML")
	o := tool.Run("run", "images", folder, "--report", name)
	require.Zero(t, o.Code, o.Stderr)
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.NotContains(t, string(data), "<script")
	assert.Contains(t, string(data), "&lt;script&gt;alert(1)")
}

func TestPageOfNothing(t *testing.T) {
	name := filepath.Join(t.TempDir(), "run.html")
	o := tool.Run("run", "images", clitest.Text, "--report", name)
	assert.Equal(t, 1, o.Code)
	assert.NoFileExists(t, name)
	tool.Refused(t, 2, []string{"spool: usage: --report x.pdf: must be a name that ends in .html"}, "run", "images",
		clitest.Photo,
		"--report", "x.pdf")
	o = tool.Run("run", "images", clitest.Photo, "--report", filepath.Join(name, "x.html"))
	assert.Equal(t, 1, o.Code)
}

// Properties that only rendering shows: no element is empty, or extends beyond its place.
func TestPageInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-browser runs it")
	}
	browser := need.Command(t, "chromium")
	_, text, s := aPage(t)
	const look = `<script>addEventListener("load", () => {
		const seen = {Wide: document.documentElement.scrollWidth - innerWidth, Broken: 0, Images: 0, Figures: []};
		for (const i of document.images) { seen.Images++; if (!i.complete || !i.naturalWidth) seen.Broken++; }
		for (const f of document.querySelectorAll("figure")) {
			const b = f.querySelector("svg").getBoundingClientRect();
			seen.Figures.push({Name: f.id, Width: b.width, Height: b.height, Lines: f.querySelectorAll("svg path").length, Keys: f.querySelectorAll(".lines span").length});
		}
		document.title = JSON.stringify(seen);
	})</script>`
	name := filepath.Join(t.TempDir(), "seen.html")
	require.NoError(t, os.WriteFile(name, []byte(strings.Replace(text, "</body>", look+"</body>", 1)), 0o600))
	for _, width := range []string{"1300", "500"} {
		t.Run(width, func(t *testing.T) {
			c := exec.CommandContext(t.Context(), browser, "--headless", "--no-sandbox", "--disable-gpu",
				"--disable-dev-shm-usage", "--window-size="+width+",900",
				"--virtual-time-budget=5000", "--user-data-dir="+t.TempDir(), "--dump-dom", "file://"+name)
			c.WaitDelay = time.Minute // its other processes may end later
			dom, err := c.Output()
			require.NoError(t, err)
			title := regexp.MustCompile(`<title>(.*)</title>`).FindSubmatch(dom)
			require.NotNil(t, title)
			var seen struct {
				Wide, Broken, Images int
				Figures              []struct {
					Name          string
					Width, Height float64
					Lines, Keys   int
				}
			}
			require.NoError(t, json.Unmarshal([]byte(html.UnescapeString(string(title[1]))), &seen), string(title[1]))
			assert.LessOrEqual(t, seen.Wide, 0, "the page is as wide as the window")
			assert.Positive(t, seen.Images)
			assert.Zero(t, seen.Broken)
			require.Len(t, seen.Figures, 6)
			for _, f := range seen.Figures {
				assert.Greater(t, f.Width, 300.0, f.Name)
				assert.Greater(t, f.Height, 100.0, f.Name)
				assert.Greater(t, f.Lines, 5, f.Name)
				if f.Name == "occupancy" || f.Name == "queues" {
					assert.Equal(t, len(s.Stages), f.Keys)
				}
			}
		})
	}
}
