package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/need"
)

// serves starts an endless run with a bad file of a strange name, and returns the URL that it prints for a flag.
func serves(t *testing.T, flag, line string) string {
	t.Helper()
	bad := filepath.Join(t.TempDir(), `<script>alert("x")<`+"script>.jpg")
	require.NoError(t, os.WriteFile(bad, []byte("no image"), 0o600))
	c := process(t, append(slices.Clip(endless), filepath.Dir(bad), flag, "127.0.0.1:0", "--ledger",
		filepath.Join(t.TempDir(), "bad.jsonl"))...)
	stderr, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	lines := bufio.NewReader(stderr)
	first, err := lines.ReadString('\n')
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(first, line), first)
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return strings.TrimSpace(strings.TrimPrefix(first, line))
}

func get(t *testing.T, address string) string {
	t.Helper()
	r, err := http.Get(address)
	require.NoError(t, err)
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, r.StatusCode, string(text))
	return string(text)
}

// value returns the value of a series in Prometheus's format; -1 without it.
func value(t *testing.T, text, series string) float64 {
	t.Helper()
	m := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(series) + ` (\S+)$`).FindStringSubmatch(text)
	if m == nil {
		return -1
	}
	v, err := strconv.ParseFloat(m[1], 64)
	require.NoError(t, err)
	return v
}

// The documented metrics are served while a run goes on, they grow, and no file is named.
func TestMetricsOfARun(t *testing.T) {
	address := serves(t, "--metrics", "spool: metrics at ")
	before := get(t, address)
	const batches, bad = `spool_loader_batches_total`,
		`spool_stage_failures_total{error_type="not-media",spool_stage_name="decode"}`
	var text string
	for text = before; value(t, text, bad) < 1 || value(t, text, batches) <= value(t, before, batches); {
		text = get(t, address)
	}
	assert.NotContains(t, text, "alert")
	assert.NotContains(t, text, ".jpg")
	assert.NotContains(t, text, filepath.Base(clitest.Media))
	page, err := os.ReadFile("../../docs/metrics.md")
	require.NoError(t, err)
	served := regexp.MustCompile(`(?m)^# TYPE (spool_\w+) `).FindAllStringSubmatch(text, -1)
	require.NotEmpty(t, served)
	var documented []string
	rows := regexp.MustCompile("(?m)^\\| `(spool\\.[a-z._]+)` \\| (\\w+) \\| (\\S+) \\|")
	for _, row := range rows.FindAllStringSubmatch(string(page), -1) {
		name := strings.ReplaceAll(row[1], ".", "_")
		name += map[string]string{"s": "_seconds", "By": "_bytes"}[row[3]]
		if row[3] == "1" && row[2] == "gauge" {
			name += "_ratio"
		}
		if row[2] == "counter" {
			name += "_total"
		}
		documented = append(documented, name)
	}
	for _, s := range served {
		assert.Contains(t, documented, s[1])
	}
	for _, name := range documented {
		if !strings.HasPrefix(name, "spool_cache_") { // there is none
			assert.Contains(t, text, "# TYPE "+name+" ")
		}
	}
}

// A Prometheus scrapes a run, evaluates the example's rules, and finds each series of its dashboard.
func TestPrometheusScrapesARun(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-prometheus runs it")
	}
	prometheus, promtool := need.Command(t, "prometheus"), need.Command(t, "promtool")
	const example = "../../examples/prometheus/"
	checked, err := exec.CommandContext(t.Context(), promtool, "check", "rules", example+"rules.yml").CombinedOutput()
	require.NoError(t, err, string(checked))
	address := serves(t, "--metrics", "spool: metrics at ")
	run, err := url.Parse(address)
	require.NoError(t, err)
	config, err := os.ReadFile(example + "prometheus.yml")
	require.NoError(t, err)
	rules, err := filepath.Abs(example + "rules.yml")
	require.NoError(t, err)
	text := strings.NewReplacer("127.0.0.1:9464", run.Host, "rules.yml", rules, "5s", "1s",
		"global:", "global:\n  evaluation_interval: 1s").Replace(string(config))
	folder := t.TempDir()
	name := filepath.Join(folder, "prometheus.yml")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	port := freePort(t)
	c := exec.CommandContext(t.Context(), prometheus, "--config.file="+name, "--storage.tsdb.path="+folder+"/data",
		"--web.listen-address="+port)
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	query := func(what string) (results int) {
		r, err := http.Get("http://" + port + "/api/v1/query?query=" + url.QueryEscape(what))
		if err != nil { // not yet
			return 0
		}
		defer r.Body.Close()
		var answer struct {
			Error string
			Data  struct{ Result []any }
		}
		if json.NewDecoder(r.Body).Decode(&answer) != nil {
			return 0
		}
		require.Empty(t, answer.Error, what)
		return len(answer.Data.Result)
	}
	found := func(what string) {
		require.Eventually(t, func() bool { return query(what) > 0 }, 2*time.Minute, 200*time.Millisecond, what)
	}
	found("spool_loader_batches_total")
	found("instance:spool_samples:rate1m > 0")
	found(`instance_stage:spool_stage_occupancy:share1m{spool_stage_name="decode"}`)
	found(`instance_stage:spool_stage_duration_seconds:p99{spool_stage_name="decode"} > 0`)
	dashboard, err := os.ReadFile(example + "dashboard.json")
	require.NoError(t, err)
	var d struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	require.NoError(t, json.Unmarshal(dashboard, &d))
	require.NotEmpty(t, d.Panels)
	for _, p := range d.Panels {
		if p.Title != "Disk cache" { // there is none
			found(strings.ReplaceAll(p.Targets[0].Expr, "$instance", ".*"))
		}
	}
	assert.Zero(t, query(fmt.Sprintf(`{__name__=~"spool_.*", spool_stage_name=~%q}`, ".*jpg.*")))
}

// freePort returns an address that nothing listens on at the moment.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}
