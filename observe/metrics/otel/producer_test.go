package otel_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/observe/metrics"
	"github.com/spoolmedia/spool/observe/metrics/otel"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/stats"
	"github.com/spoolmedia/spool/source/cache"
	"github.com/spoolmedia/spool/source/object"
)

// full returns a source that has all metrics, with values that are hard to write.
func full(t testing.TB, name string) metrics.Source {
	t.Helper()
	var report stats.Report
	for i, stage := range []string{"list", "decode", "batch"} {
		var service stats.Histogram
		for d := time.Microsecond; d < time.Duration(i)*time.Minute; d *= 3 {
			service.Add(d)
		}
		s := stats.StageReport{Name: stage, Workers: 3, AtWork: i, Items: 12345678901, Retries: 1, WaitInS: 1e-7 / 3,
			WaitOutS: 1e21 / 7, WorkS: 2, StaffS: 3, Queue: 1.0 / 3}
		s.Describe(&service)
		report.Stages = append(report.Stages, s)
	}
	report.Elapsed, report.Consumer = time.Minute, stats.StageReport{Items: 7, WaitInS: 1.5}
	failures := &metrics.Failures{}
	for _, class := range []string{"truncated", "not-media"} {
		require.NoError(t, failures.Add(pipe.Failure{Stage: "decode", Class: class}))
	}
	return metrics.Source{
		Report: func() stats.Report { return report },
		Memory: func() map[spool.Purpose]spool.Usage {
			return map[spool.Purpose]spool.Usage{spool.Slab: {Bytes: 1 << 40}, spool.Scratch: {Bytes: 1}}
		},
		Stores:   func() object.Stats { return object.Stats{Requests: 9, Hedges: 2, Throttled: 1, InFlight: 4} },
		Cache:    func() cache.Stats { return cache.Stats{Hits: 1000000, Misses: 999999} },
		Failures: failures,
		Attributes: []metrics.Attribute{{Key: "spool.loader.name", Value: "a \"name\"\\\nof two lines"},
			{Key: "a-loader", Value: name}},
	}
}

func served(t *testing.T, h http.Handler) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	require.Equal(t, http.StatusOK, w.Code)
	assert.True(t, strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain; version=0.0.4; charset=utf-8"))
	return w.Body.String()
}

// The text of package metrics has the same lines as that of Prometheus' client with the SDK's exporter, and a parser of
// Prometheus reads it.
func TestTextIsThatOfPrometheus(t *testing.T) {
	sources := []metrics.Source{full(t, "train"), full(t, "eval")}
	registry := prometheus.NewRegistry()
	reader, err := exporter.New(exporter.WithRegisterer(registry), exporter.WithoutScopeInfo(),
		exporter.WithoutTargetInfo(), exporter.WithProducer(otel.New(sources...)))
	require.NoError(t, err)
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	defer func() { require.NoError(t, provider.Shutdown(context.Background())) }()
	theirs := served(t, promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	own := served(t, metrics.Handler(sources...))
	own, _, found := strings.Cut(own, "# HELP process_")
	require.True(t, found)
	assert.Equal(t, slices.Sorted(strings.Lines(theirs)), slices.Sorted(strings.Lines(own)))
	parser := expfmt.NewTextParser(model.UTF8Validation)
	want, err := parser.TextToMetricFamilies(strings.NewReader(theirs))
	require.NoError(t, err)
	got, err := parser.TextToMetricFamilies(strings.NewReader(own))
	require.NoError(t, err)
	require.Len(t, got, len(want))
	for name, family := range want {
		assert.ElementsMatch(t, texts(family), texts(got[name]))
	}
}

func texts(f *dto.MetricFamily) (all []string) {
	for _, m := range f.GetMetric() {
		all = append(all, f.GetType().String()+" "+m.String())
	}
	return all
}

// The metrics of the process are those of Prometheus' client, apart from the limit of its address space and the
// network, which is that of the whole machine.
func TestProcessIsThatOfPrometheus(t *testing.T) {
	registry := prometheus.NewRegistry()
	require.NoError(t, registry.Register(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})))
	described := func(text string) (lines []string) {
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "#") && !strings.Contains(line, "_network_") && !strings.Contains(line, "_memory_max_") ||
				strings.HasPrefix(line, "process_max_fds ") {
				lines = append(lines, line)
			}
		}
		return lines
	}
	theirs := served(t, promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	own := served(t, metrics.Handler())
	require.NotEmpty(t, described(own))
	assert.ElementsMatch(t, described(theirs), described(own))
	families, err := registry.Gather()
	require.NoError(t, err)
	theirValues := map[string]float64{}
	for _, f := range families {
		theirValues[f.GetName()] = f.GetMetric()[0].GetGauge().GetValue() + f.GetMetric()[0].GetCounter().GetValue()
	}
	for _, m := range metrics.Process() {
		switch m.Name {
		case "process.start.time":
			assert.InDelta(t, theirValues["process_start_time_seconds"], m.Points[0].Value, 0.01)
		case "process.resident.memory":
			assert.InEpsilon(t, theirValues["process_resident_memory_bytes"], m.Points[0].Value, 0.5)
		case "process.open.fds":
			assert.InDelta(t, theirValues["process_open_fds"], m.Points[0].Value, 2) // theirs counts the folder
		}
	}
}

// The JSON of OTLP is read strictly by OpenTelemetry's own definition, and its values are those that the SDK has.
func TestOTLPIsThatOfTheSDK(t *testing.T) {
	sources := []metrics.Source{full(t, "train"), full(t, "eval")}
	c := metrics.Collect(sources...)
	body, err := c.MarshalOTLP(metrics.Attribute{Key: "service.name", Value: "mine"})
	require.NoError(t, err)
	var got metricspb.MetricsData
	require.NoError(t, protojson.Unmarshal(body, &got), string(body))
	require.Len(t, got.GetResourceMetrics(), 1)
	resource := got.GetResourceMetrics()[0]
	assert.Equal(t, []attribute.KeyValue{attribute.String("service.name", "mine")},
		attributes(resource.GetResource().GetAttributes()))
	require.Len(t, resource.GetScopeMetrics(), 1)
	assert.Equal(t, metrics.Scope, resource.GetScopeMetrics()[0].GetScope().GetName())
	var decoded []metricdata.Metrics
	for _, m := range resource.GetScopeMetrics()[0].GetMetrics() {
		decoded = append(decoded, metricdata.Metrics{Name: m.GetName(), Description: m.GetDescription(), Unit: m.GetUnit(),
			Data: data(t, m)})
	}
	produced, err := otel.New(sources...).Produce(t.Context())
	require.NoError(t, err)
	require.Len(t, decoded, len(produced[0].Metrics))
	for i, want := range produced[0].Metrics {
		metricdatatest.AssertEqual(t, want, decoded[i], metricdatatest.IgnoreTimestamp())
	}
	first := resource.GetScopeMetrics()[0].GetMetrics()[0].GetSum().GetDataPoints()[0]
	assert.EqualValues(t, c.Time.UnixNano(), first.GetTimeUnixNano())
	assert.EqualValues(t, c.Metrics[0].Points[0].Start.UnixNano(), first.GetStartTimeUnixNano())
}

func attributes(all []*commonpb.KeyValue) (out []attribute.KeyValue) {
	for _, a := range all {
		out = append(out, attribute.String(a.GetKey(), a.GetValue().GetStringValue()))
	}
	return out
}

// data returns a decoded metric in the types of the SDK.
func data(t *testing.T, m *metricspb.Metric) metricdata.Aggregation {
	t.Helper()
	if h := m.GetHistogram(); h != nil {
		var points []metricdata.HistogramDataPoint[float64]
		for _, p := range h.GetDataPoints() {
			points = append(points, metricdata.HistogramDataPoint[float64]{
				Attributes: attribute.NewSet(attributes(p.GetAttributes())...), Count: p.GetCount(), Sum: p.GetSum(),
				Bounds: p.GetExplicitBounds(), BucketCounts: p.GetBucketCounts()})
		}
		return metricdata.Histogram[float64]{DataPoints: points, Temporality: temporality(h.GetAggregationTemporality())}
	}
	if s := m.GetSum(); s != nil {
		if whole(s.GetDataPoints()) {
			return metricdata.Sum[int64]{DataPoints: numbers[int64](s.GetDataPoints()), IsMonotonic: s.GetIsMonotonic(),
				Temporality: temporality(s.GetAggregationTemporality())}
		}
		return metricdata.Sum[float64]{DataPoints: numbers[float64](s.GetDataPoints()), IsMonotonic: s.GetIsMonotonic(),
			Temporality: temporality(s.GetAggregationTemporality())}
	}
	require.NotNil(t, m.GetGauge(), m.GetName())
	if whole(m.GetGauge().GetDataPoints()) {
		return metricdata.Gauge[int64]{DataPoints: numbers[int64](m.GetGauge().GetDataPoints())}
	}
	return metricdata.Gauge[float64]{DataPoints: numbers[float64](m.GetGauge().GetDataPoints())}
}

func whole(points []*metricspb.NumberDataPoint) bool {
	_, is := points[0].GetValue().(*metricspb.NumberDataPoint_AsInt)
	return is
}

func numbers[N int64 | float64](points []*metricspb.NumberDataPoint) (out []metricdata.DataPoint[N]) {
	for _, p := range points {
		out = append(out, metricdata.DataPoint[N]{Attributes: attribute.NewSet(attributes(p.GetAttributes())...),
			Value: N(p.GetAsInt()) + N(p.GetAsDouble())})
	}
	return out
}

func temporality(t metricspb.AggregationTemporality) metricdata.Temporality {
	if t == metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE {
		return metricdata.CumulativeTemporality
	}
	return 0
}
