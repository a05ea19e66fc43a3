package metrics

import (
	"encoding/json"
	"math"
	"strconv"
	"time"
)

// MarshalOTLP returns the metrics of a resource as a request of OTLP, in its JSON encoding. It fails if a value is no
// number. Counters and histograms are cumulative.
func (c Collection) MarshalOTLP(resource ...Attribute) ([]byte, error) {
	all := make([]otlpMetric, len(c.Metrics))
	for i, m := range c.Metrics {
		all[i] = m.otlp(c.Time)
	}
	type named struct {
		Name string `json:"name"`
	}
	type scope struct {
		Scope   named        `json:"scope"`
		Metrics []otlpMetric `json:"metrics"`
	}
	type ofResource struct {
		Resource struct {
			Attributes []otlpAttribute `json:"attributes"`
		} `json:"resource"`
		Scopes []scope `json:"scopeMetrics"`
	}
	r := ofResource{Scopes: []scope{{named{Scope}, all}}}
	r.Resource.Attributes = otlpAttributes(resource)
	return json.Marshal(map[string][]ofResource{"resourceMetrics": {r}})
}

// cumulative is AGGREGATION_TEMPORALITY_CUMULATIVE.
const cumulative = 2

type otlpMetric struct {
	Name      string    `json:"name"`
	Help      string    `json:"description,omitempty"`
	Unit      string    `json:"unit,omitempty"`
	Sum       *otlpData `json:"sum,omitempty"`
	Gauge     *otlpData `json:"gauge,omitempty"`
	Histogram *otlpData `json:"histogram,omitempty"`
}

type otlpData struct {
	Points      []otlpPoint `json:"dataPoints"`
	Temporality int         `json:"aggregationTemporality,omitempty"`
	Monotonic   bool        `json:"isMonotonic,omitempty"`
}

// otlpPoint is a value. 64-bit integers are strings, as in all JSON of protobuf.
type otlpPoint struct {
	Attributes []otlpAttribute `json:"attributes,omitempty"`
	Start      string          `json:"startTimeUnixNano,omitempty"`
	Time       string          `json:"timeUnixNano"`
	Int        string          `json:"asInt,omitempty"`
	Double     *float64        `json:"asDouble,omitempty"`
	Count      string          `json:"count,omitempty"`
	Sum        *float64        `json:"sum,omitempty"`
	Buckets    []string        `json:"bucketCounts,omitempty"`
	Bounds     []float64       `json:"explicitBounds,omitempty"`
}

type otlpAttribute struct {
	Key   string `json:"key"`
	Value struct {
		Text string `json:"stringValue"`
	} `json:"value"`
}

func otlpAttributes(all []Attribute) []otlpAttribute {
	out := make([]otlpAttribute, len(all))
	for i, a := range all {
		out[i].Key, out[i].Value.Text = a.Key, a.Value
	}
	return out
}

func (m Metric) otlp(now time.Time) otlpMetric {
	d := otlpData{}
	for _, p := range m.Points {
		x := otlpPoint{Attributes: otlpAttributes(p.Attributes), Time: strconv.FormatInt(now.UnixNano(), 10)}
		if m.Kind != Gauge {
			x.Start = strconv.FormatInt(p.Start.UnixNano(), 10)
		}
		switch {
		case m.Kind == Histogram:
			x.Count, x.Sum, x.Bounds = strconv.FormatUint(p.Count(), 10), &p.Value, m.Bounds
			for _, n := range p.Buckets {
				x.Buckets = append(x.Buckets, strconv.FormatUint(n, 10))
			}
		case m.Whole:
			x.Int = strconv.FormatInt(int64(math.Round(p.Value)), 10)
		default:
			x.Double = &p.Value
		}
		d.Points = append(d.Points, x)
	}
	out := otlpMetric{Name: m.Name, Help: m.Help, Unit: m.Unit}
	switch m.Kind {
	case Counter:
		d.Temporality, d.Monotonic = cumulative, true
		out.Sum = &d
	case Gauge:
		out.Gauge = &d
	case Histogram:
		d.Temporality = cumulative
		out.Histogram = &d
	}
	return out
}
