package metrics

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Exporter sends metrics to a collector of OpenTelemetry, by OTLP over HTTP with JSON. Its fields must not change once
// it is in use. Its methods are safe for concurrent use.
type Exporter struct {
	// URL is the collector's address, like http://localhost:4318/v1/metrics.
	URL string
	// Header is sent with each request: it may have Authorization.
	Header http.Header
	// Resource describes the program.
	Resource []Attribute
	// Interval is the time between two exports of Run. The default is a minute.
	Interval time.Duration
	// Timeout limits an export. The default is ten seconds.
	Timeout time.Duration
	// Gzip compresses requests.
	Gzip bool

	Transport http.RoundTripper // nil is one of HTTP with the proxy of the environment
}

// FromEnvironment returns the exporter that OpenTelemetry's variables describe. docs/metrics.md lists those that are
// read. It returns nil without an error if OTEL_SDK_DISABLED is true, or OTEL_METRICS_EXPORTER is none. The error names
// all variables that are wrong. getenv is os.Getenv.
func FromEnvironment(getenv func(string) string) (*Exporter, error) {
	if strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") {
		return nil, nil
	}
	v := variables{get: getenv}
	switch exporter := getenv("OTEL_METRICS_EXPORTER"); exporter {
	case "none":
		return nil, nil
	case "", "otlp":
	default:
		v.wrong("OTEL_METRICS_EXPORTER", "must be otlp or none, not %q", exporter)
	}
	if name, protocol := v.ofMetrics("PROTOCOL"); protocol != "" && protocol != "http/json" {
		v.wrong(name, "must be http/json, not %q", protocol)
	}
	e := &Exporter{URL: v.endpoint(), Header: http.Header{}, Interval: v.milliseconds("OTEL_METRIC_EXPORT_INTERVAL")}
	name, _ := v.ofMetrics("TIMEOUT")
	e.Timeout = v.milliseconds(name)
	name, compression := v.ofMetrics("COMPRESSION")
	switch compression {
	case "", "none":
	case "gzip":
		e.Gzip = true
	default:
		v.wrong(name, "must be gzip or none, not %q", compression)
	}
	name, _ = v.ofMetrics("HEADERS")
	for _, h := range v.list(name) {
		e.Header.Add(h.Key, h.Value)
	}
	e.Resource = joined(append(v.list("OTEL_RESOURCE_ATTRIBUTES"),
		Attribute{"telemetry.sdk.language", "go"}, Attribute{"telemetry.sdk.name", "spool"})...)
	if service := getenv("OTEL_SERVICE_NAME"); service != "" {
		e.Resource = joined(append(e.Resource, Attribute{"service.name", service})...)
	} else {
		e.Resource = joined(append([]Attribute{{"service.name", "spool"}}, e.Resource...)...)
	}
	if len(v.problems) > 0 {
		return nil, errors.New(strings.Join(v.problems, "; "))
	}
	return e, nil
}

// variables reads variables, and keeps what is wrong with them.
type variables struct {
	get      func(string) string
	problems []string
}

func (v *variables) wrong(name, format string, values ...any) {
	v.problems = append(v.problems, name+" "+fmt.Sprintf(format, values...))
}

// ofMetrics returns a variable of OTLP for metrics, or, if that is not set, for all signals.
func (v *variables) ofMetrics(what string) (name, value string) {
	const all, metrics = "OTEL_EXPORTER_OTLP_", "OTEL_EXPORTER_OTLP_METRICS_"
	if value := v.get(metrics + what); value != "" {
		return metrics + what, value
	}
	return all + what, v.get(all + what)
}

func (v *variables) endpoint() string {
	name, text := v.ofMetrics("ENDPOINT")
	text = cmp.Or(text, "http://localhost:4318")
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		v.wrong(name, "must be a URL like http://localhost:4318") // without its value, which may have a password
		return ""
	}
	if name == "OTEL_EXPORTER_OTLP_ENDPOINT" {
		u = u.JoinPath("v1/metrics")
	}
	return u.String()
}

func (v *variables) milliseconds(name string) time.Duration {
	text := v.get(name)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n <= 0 {
		v.wrong(name, "must be a number of milliseconds, not %q", text)
	}
	return time.Duration(n) * time.Millisecond
}

// list returns the pairs of KEY=VALUE,KEY=VALUE, whose values are encoded as in URLs.
func (v *variables) list(name string) (all []Attribute) {
	for pair := range strings.SplitSeq(v.get(name), ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, text, ok := strings.Cut(pair, "=")
		text, err := url.PathUnescape(strings.TrimSpace(text))
		if key = strings.TrimSpace(key); !ok || err != nil || key == "" {
			v.wrong(name, "must be KEY=VALUE,KEY=VALUE with values encoded as in URLs") // values may be secret
			return nil
		}
		all = append(all, Attribute{key, text})
	}
	return all
}

// Run exports what collect returns, at each interval and when ctx ends. If an export fails, it calls failed, and goes
// on with the next one, which has all counts since the beginning. It calls failed with nil when exports succeed again.
func (e *Exporter) Run(ctx context.Context, collect func() Collection, failed func(error)) {
	every := time.NewTicker(cmp.Or(e.Interval, time.Minute))
	defer every.Stop()
	client := e.client()
	defer client.CloseIdleConnections()
	var last error
	for going := true; going; {
		select {
		case <-every.C:
		case <-ctx.Done():
			going = false
		}
		err := e.export(context.WithoutCancel(ctx), client, collect())
		if (err == nil) != (last == nil) {
			failed(err)
		}
		last = err
	}
}

// Start exports the metrics of a source as Run does. end returns after the last export.
func (e *Exporter) Start(of Source, failed func(error)) (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		e.Run(ctx, func() Collection { return Collect(of) }, failed)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// Export sends a collection once.
func (e *Exporter) Export(ctx context.Context, c Collection) error {
	client := e.client()
	defer client.CloseIdleConnections()
	return e.export(ctx, client, c)
}

// client returns a client that does not follow redirects, to which it would send the header.
func (e *Exporter) client() *http.Client {
	transport := e.Transport
	if transport == nil {
		transport = &http.Transport{Proxy: http.ProxyFromEnvironment}
	}
	return &http.Client{Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func (e *Exporter) export(ctx context.Context, client *http.Client, c Collection) error {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(e.Timeout, 10*time.Second))
	defer cancel()
	body, err := c.MarshalOTLP(e.Resource...)
	if err == nil && e.Gzip {
		body, err = compressed(body)
	}
	if err != nil {
		return fmt.Errorf("cannot encode metrics: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL, bytes.NewReader(body))
	if err != nil {
		return errors.New("cannot send metrics: the URL is wrong")
	}
	r.Header = e.Header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set("Content-Type", "application/json")
	if e.Gzip {
		r.Header.Set("Content-Encoding", "gzip")
	}
	answer, err := client.Do(r)
	if err != nil {
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err // without the URL, which may have a password
		}
		return fmt.Errorf("cannot send metrics to %s: %w", r.URL.Host, err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<16)) // so that the connection can be used again
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("cannot send metrics to %s: the collector answered %s", r.URL.Host, answer.Status)
	}
	return nil
}

func compressed(body []byte) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	err := w.Close()
	return b.Bytes(), err
}
