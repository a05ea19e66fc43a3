package run

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
)

// A run sends its metrics to a collector when it ends, so the last ones have its totals.
func TestMetricsAreSent(t *testing.T) {
	var mu sync.Mutex
	totals := map[string]string{}
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var sent struct {
			ResourceMetrics []struct {
				ScopeMetrics []struct {
					Metrics []struct {
						Name string
						Sum  struct{ DataPoints []struct{ AsInt string } }
					}
				}
			}
		}
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&sent))
		mu.Lock()
		defer mu.Unlock()
		totals["path"] = r.URL.Path
		for _, m := range sent.ResourceMetrics[0].ScopeMetrics[0].Metrics {
			if len(m.Sum.DataPoints) > 0 {
				totals[m.Name] = m.Sum.DataPoints[0].AsInt
			}
		}
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_METRIC_EXPORT_INTERVAL", "3600000")
	s := tool.Ran(t, clitest.Media+"/photos", "--size", "32", "--batch", "3", "--metrics", "otlp")
	assert.Equal(t, "/v1/metrics", totals["path"])
	assert.Equal(t, strconv.Itoa(s.Samples), totals["spool.loader.samples"])
	assert.Equal(t, strconv.Itoa(s.Batches), totals["spool.loader.batches"])
}

// A collector that is away does not end the run, and a wrong environment is an error before it.
func TestMetricsAreNotSent(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:0")
	o := tool.Run("run", "images", clitest.Media+"/photos", "--size", "32", "--metrics", "otlp")
	assert.Zero(t, o.Code)
	assert.Contains(t, o.Stderr, "spool: cannot send metrics to 127.0.0.1:0: ")
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "10s")
	tool.Refused(t, 2, []string{`spool: usage: --metrics otlp: OTEL_EXPORTER_OTLP_PROTOCOL must be http/json, not "grpc"; ` +
		`OTEL_EXPORTER_OTLP_TIMEOUT must be a number of milliseconds, not "10s"`},
		"run", "images", clitest.Media+"/photos", "--size", "32", "--metrics", "otlp")
}
