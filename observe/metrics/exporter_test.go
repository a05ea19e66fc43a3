package metrics_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/pipenet"
	"github.com/spoolmedia/spool/observe/metrics"
	"github.com/spoolmedia/spool/pipe/stats"
)

func environment(all map[string]string) func(string) string {
	return func(name string) string { return all[name] }
}

func TestEnvironment(t *testing.T) {
	for _, c := range []struct {
		name string
		set  map[string]string
		want metrics.Exporter
	}{
		{"nothing", nil, metrics.Exporter{URL: "http://localhost:4318/v1/metrics"}},
		{"endpoint of all signals", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "https://c.example/otlp/"},
			metrics.Exporter{URL: "https://c.example/otlp/v1/metrics"}},
		{"endpoint of metrics", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a",
			"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://b/as/it/is"}, metrics.Exporter{URL: "http://b/as/it/is"}},
		{"numbers", map[string]string{"OTEL_METRIC_EXPORT_INTERVAL": "2500", "OTEL_EXPORTER_OTLP_TIMEOUT": "1",
			"OTEL_EXPORTER_OTLP_METRICS_TIMEOUT": "300", "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip",
			"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL": "http/json"},
			metrics.Exporter{URL: "http://localhost:4318/v1/metrics", Interval: 2500 * time.Millisecond,
				Timeout: 300 * time.Millisecond, Gzip: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := metrics.FromEnvironment(environment(c.set))
			require.NoError(t, err)
			c.want.Header, c.want.Resource = e.Header, e.Resource
			assert.Equal(t, c.want, *e)
			assert.Empty(t, e.Header)
			assert.Contains(t, e.Resource, metrics.Attribute{Key: "service.name", Value: "spool"})
		})
	}
}

func TestEnvironmentOfTheResource(t *testing.T) {
	e, err := metrics.FromEnvironment(environment(map[string]string{
		"OTEL_RESOURCE_ATTRIBUTES":   "service.name=other, deployment.environment.name=a%20b,",
		"OTEL_SERVICE_NAME":          "trainer",
		"OTEL_EXPORTER_OTLP_HEADERS": "authorization=Basic%20c2VjcmV0, x-tenant = 7"}))
	require.NoError(t, err)
	assert.Equal(t, []metrics.Attribute{{Key: "deployment.environment.name", Value: "a b"},
		{Key: "service.name", Value: "trainer"}, {Key: "telemetry.sdk.language", Value: "go"},
		{Key: "telemetry.sdk.name", Value: "spool"}}, e.Resource)
	assert.Equal(t, http.Header{"Authorization": {"Basic c2VjcmV0"}, "X-Tenant": {"7"}}, e.Header)
	e, err = metrics.FromEnvironment(environment(map[string]string{"OTEL_RESOURCE_ATTRIBUTES": "service.name=other"}))
	require.NoError(t, err)
	assert.Contains(t, e.Resource, metrics.Attribute{Key: "service.name", Value: "other"})
}

func TestEnvironmentIsOff(t *testing.T) {
	for name, value := range map[string]string{"OTEL_SDK_DISABLED": "TRUE", "OTEL_METRICS_EXPORTER": "none"} {
		e, err := metrics.FromEnvironment(environment(map[string]string{name: value}))
		require.NoError(t, err)
		assert.Nil(t, e, name)
	}
}

// All problems are named at once, and nothing that may be secret is repeated.
func TestEnvironmentIsWrong(t *testing.T) {
	_, err := metrics.FromEnvironment(environment(map[string]string{
		"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_ENDPOINT": "secret:4317",
		"OTEL_EXPORTER_OTLP_HEADERS": "secret", "OTEL_METRIC_EXPORT_INTERVAL": "-5", "OTEL_METRICS_EXPORTER": "console",
		"OTEL_EXPORTER_OTLP_TIMEOUT": "10s", "OTEL_EXPORTER_OTLP_METRICS_COMPRESSION": "zstd"}))
	require.Error(t, err)
	assert.Equal(t, []string{
		`OTEL_METRICS_EXPORTER must be otlp or none, not "console"`,
		`OTEL_EXPORTER_OTLP_PROTOCOL must be http/json, not "grpc"`,
		`OTEL_EXPORTER_OTLP_ENDPOINT must be a URL like http://localhost:4318`,
		`OTEL_METRIC_EXPORT_INTERVAL must be a number of milliseconds, not "-5"`,
		`OTEL_EXPORTER_OTLP_TIMEOUT must be a number of milliseconds, not "10s"`,
		`OTEL_EXPORTER_OTLP_METRICS_COMPRESSION must be gzip or none, not "zstd"`,
		`OTEL_EXPORTER_OTLP_HEADERS must be KEY=VALUE,KEY=VALUE with values encoded as in URLs`,
	}, strings.Split(err.Error(), "; "))
}

// received is what a collector got in one request.
type received struct {
	at      time.Duration
	header  http.Header
	batches string // the value of spool.loader.batches
}

// collector answers with the status codes in turn, and then with 200.
func collector(t *testing.T, began time.Time, codes ...int) (*pipenet.Server, *[]received) {
	t.Helper()
	var all []received
	server := pipenet.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := io.Reader(r.Body)
		if r.Header.Get("Content-Encoding") == "gzip" {
			z, err := gzip.NewReader(body)
			if !assert.NoError(t, err) {
				return
			}
			body = z
		}
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
		assert.NoError(t, json.NewDecoder(body).Decode(&sent))
		got := received{at: time.Since(began), header: r.Header}
		for _, m := range sent.ResourceMetrics[0].ScopeMetrics[0].Metrics {
			if m.Name == "spool.loader.batches" {
				got.batches = m.Sum.DataPoints[0].AsInt
			}
		}
		if all = append(all, got); len(all) <= len(codes) {
			w.Header().Set("Location", "http://elsewhere/")
			w.WriteHeader(codes[len(all)-1])
		}
	}))
	return server, &all
}

// Exports come at each interval and at the end. A failure is reported once. The next export has its counts.
func TestRun(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		server, got := collector(t, time.Now(), http.StatusServiceUnavailable, http.StatusTemporaryRedirect)
		defer server.Close()
		e := metrics.Exporter{URL: "http://collector/v1/metrics", Interval: 10 * time.Second, Gzip: true,
			Header: http.Header{"Authorization": {"x"}}, Transport: server.Transport}
		var batches int64
		source := metrics.Source{Report: func() stats.Report {
			batches++
			return stats.Report{Consumer: stats.StageReport{Items: batches}}
		}}
		var told []string
		ctx, cancel := context.WithTimeout(t.Context(), 35*time.Second)
		defer cancel()
		e.Run(ctx, func() metrics.Collection { return metrics.Collect(source) }, func(err error) {
			if err == nil {
				told = append(told, "well")
			} else {
				told = append(told, err.Error())
			}
		})
		var times []time.Duration
		for i, r := range *got {
			times = append(times, r.at)
			assert.Equal(t, string(rune('1'+i)), r.batches)
			assert.Equal(t, "application/json", r.header.Get("Content-Type"))
			assert.Equal(t, "x", r.header.Get("Authorization"))
		}
		assert.Equal(t, []time.Duration{10 * time.Second, 20 * time.Second, 30 * time.Second, 35 * time.Second}, times)
		assert.Equal(t, []string{"cannot send metrics to collector: the collector answered 503 Service Unavailable", "well"},
			told)
	})
}

// A collector that does not answer delays an export by its timeout, and no longer.
func TestExportEnds(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		server := pipenet.Serve(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // so that the server sees that the client is gone
			<-r.Context().Done()
		}))
		defer server.Close()
		e := metrics.Exporter{URL: "http://name:password@collector/", Timeout: 3 * time.Second, Transport: server.Transport}
		began := time.Now()
		err := e.Export(t.Context(), metrics.Collect(metrics.Source{}))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.NotContains(t, err.Error(), "password")
		assert.Equal(t, 3*time.Second, time.Since(began))
	})
}

func TestExportToNobody(t *testing.T) {
	e := metrics.Exporter{URL: "http://" + pipenet.Refused(t)}
	assert.ErrorContains(t, e.Export(t.Context(), metrics.Collect(metrics.Source{})), "connection refused")
}
