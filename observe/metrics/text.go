package metrics

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// Handler answers the scrapes of a Prometheus with the metrics of sources and those of this process. Each request
// collects. It serves any path and method.
func Handler(sources ...Source) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(Text(sources...)) // fails if the client is gone
	})
}

// Text returns the metrics of sources and those of this process in Prometheus' text format, version 0.0.4. Names get
// "_" for all that is neither letter nor digit, and the unit and the kind as suffixes: spool.stage.wait.time is
// spool_stage_wait_time_seconds_total.
func Text(sources ...Source) []byte {
	var b bytes.Buffer
	for _, m := range append(Collect(sources...).Metrics, Process()...) {
		m.text(&b)
	}
	return b.Bytes()
}

func (m Metric) textName() string {
	name := word(m.Name)
	switch m.Unit {
	case "s":
		name += "_seconds"
	case "By":
		name += "_bytes"
	case "1":
		if m.Kind == Gauge {
			name += "_ratio"
		}
	}
	if m.Kind == Counter {
		name += "_total"
	}
	return name
}

// word returns a name of Prometheus.
func word(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, name)
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return "_" + name
	}
	return name
}

// help and value escape texts.
var (
	help  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	value = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

func (m Metric) text(b *bytes.Buffer) {
	name := m.textName()
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help.Replace(m.Help), name,
		[...]string{"counter", "gauge", "histogram"}[m.Kind])
	line := func(suffix string, labels []string, v float64) {
		b.WriteString(name + suffix)
		if len(labels) > 0 {
			b.WriteString("{" + strings.Join(labels, ",") + "}")
		}
		b.WriteString(" " + decimal(v) + "\n")
	}
	for _, p := range m.Points {
		var labels []string
		for _, a := range p.Attributes {
			labels = append(labels, word(a.Key)+`="`+value.Replace(strings.ToValidUTF8(a.Value, "\uFFFD"))+`"`)
		}
		if m.Kind != Histogram {
			line("", labels, p.Value)
			continue
		}
		var sum uint64
		for i, bound := range m.Bounds {
			sum += p.Buckets[i]
			line("_bucket", append(labels, `le="`+decimal(bound)+`"`), float64(sum))
		}
		line("_bucket", append(labels, `le="+Inf"`), float64(p.Count()))
		line("_sum", labels, p.Value)
		line("_count", labels, float64(p.Count()))
	}
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
