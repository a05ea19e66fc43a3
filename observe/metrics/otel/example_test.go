package otel_test

import (
	"context"
	"fmt"
	"log"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/spoolmedia/spool/observe/metrics"
	"github.com/spoolmedia/spool/observe/metrics/otel"
	"github.com/spoolmedia/spool/pipe"
)

// The metrics of a pipeline, as a reader gets them. Other readers take the producer in the same way.
func Example() {
	p := pipe.New(pipe.Options{})
	doubled := pipe.Map(pipe.FromSlice(p, "list", []int{1, 2, 3}), "double", pipe.Stage{},
		func(_ context.Context, n int) (int, error) { return 2 * n, nil })
	reader := metric.NewManualReader(metric.WithProducer(otel.New(metrics.Source{Report: p.Report})))
	metric.NewMeterProvider(metric.WithReader(reader))
	for _, err := range doubled.All(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
	}
	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		log.Fatal(err)
	}
	for _, m := range all.ScopeMetrics[0].Metrics {
		if items, ok := m.Data.(metricdata.Sum[int64]); ok && m.Name == "spool.stage.items" {
			for _, p := range items.DataPoints {
				stage, _ := p.Attributes.Value("spool.stage.name")
				fmt.Println(stage.AsString(), p.Value)
			}
		}
	}
	// Output:
	// list 3
	// double 3
}
