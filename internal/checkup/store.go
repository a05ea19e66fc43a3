package checkup

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

// Store is the report of doctor URL --json on a remote store. It contains no secrets.
type Store struct {
	URL         string         `json:"url"`      // as given: of an object, or of a prefix
	Endpoint    string         `json:"endpoint"` // the URL that requests are sent to
	Region      string         `json:"region,omitempty"`
	Credentials string         `json:"credentials"` // their origin; "none" if requests are not signed
	Steps       []Step         `json:"steps"`
	Latency     *Latency       `json:"latency,omitempty"`
	Bandwidth   []Bandwidth    `json:"bandwidth,omitempty"`
	Settings    map[string]int `json:"settings,omitempty"` // proposed, where the defaults are insufficient
	Advice      []string       `json:"advice,omitempty"`
	Class       spool.Class    `json:"class,omitempty"` // of the step that failed
	Error       string         `json:"error,omitempty"`
}

// Step is one step of the examination.
type Step struct {
	Name  string  `json:"name"` // resolve, connect, tls, list, read
	MS    float64 `json:"ms"`
	Text  string  `json:"text,omitempty"`
	Error string  `json:"error,omitempty"`
}

// Latency is the duration of small sequential reads.
type Latency struct {
	Requests int     `json:"requests"`
	P50MS    float64 `json:"p50_ms"`
	P95MS    float64 `json:"p95_ms"`
}

// Bandwidth is the throughput at one number of concurrent requests.
type Bandwidth struct {
	InFlight int     `json:"in_flight"`
	Requests float64 `json:"requests_s"`
	Bytes    float64 `json:"bytes_s"`
}

const (
	wanted     = 256 // objects listed at most
	small      = 4 << 10
	smallReads = 40
	largest    = 8 << 20 // bytes read of one object for the bandwidth
	share      = 750 * time.Millisecond
)

// ExamineStore measures how a store serves the object at a URL, or the objects below it. It runs for about ten seconds,
// and transfers as many bytes as the store sends in that time. On failure the report holds the results up to there, and
// the error is that of the first step that failed.
func ExamineStore(ctx context.Context, name string, o object.Options) (s Store, err error) {
	s = Store{URL: spool.Redacted(name), Credentials: "none"}
	o.HedgeShare = -1 // a hedge would distort the times
	o.MaxInFlight = max(o.MaxInFlight, 512)
	o.InFlight = o.MaxInFlight
	client, err := object.New(o)
	if err != nil {
		return s, err
	}
	defer func() {
		if failed := client.Close(); err == nil {
			err = failed
		}
		if e, ok := errors.AsType[*spool.Error](err); ok {
			s.Class, s.Error = e.Class, e.Detail()
		}
	}()
	access, err := client.Access(ctx, name)
	if err != nil {
		return s, err
	}
	s.Endpoint, s.Region = spool.Redacted(access.URL), access.Region
	if access.Credentials != "" {
		s.Credentials = access.Credentials
	}
	s.reach(ctx, access.URL)
	objects, err := s.find(ctx, client, name)
	if err != nil {
		return s, err
	}
	if err := s.latency(ctx, client, objects); err != nil {
		return s, err
	}
	if err := s.bandwidth(ctx, client, objects); err != nil {
		return s, err
	}
	s.advise(client.Stats(), objects)
	return s, nil
}

// step records the outcome of a step.
func (s *Store) step(name string, took time.Duration, text string, err error) {
	step := Step{Name: name, MS: ms(took), Text: text}
	if err != nil {
		step.Error = spool.Redacted(err.Error())
		if e, ok := err.(*spool.Error); ok { //nolint:errorlint // the outermost
			step.Error = e.Detail()
		}
	}
	s.Steps = append(s.Steps, step)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// reach records how a connection is made. It returns no error: a failure here recurs in the next step, which reports
// it.
func (s *Store) reach(ctx context.Context, url string) {
	var resolve, connect, secure time.Time
	trace := &httptrace.ClientTrace{
		DNSStart: func(httptrace.DNSStartInfo) { resolve = time.Now() },
		DNSDone: func(i httptrace.DNSDoneInfo) {
			s.step("resolve", time.Since(resolve), fmt.Sprintf("%d addresses", len(i.Addrs)), i.Err)
		},
		ConnectStart: func(string, string) { connect = time.Now() },
		ConnectDone: func(_, address string, err error) {
			if err == nil {
				s.step("connect", time.Since(connect), address, nil)
			}
		},
		TLSHandshakeStart: func() { secure = time.Now() },
		TLSHandshakeDone: func(t tls.ConnectionState, err error) {
			text := ""
			if err == nil {
				text = tls.VersionName(t.Version)
				if len(t.PeerCertificates) > 0 {
					text += ", certificate until " + t.PeerCertificates[0].NotAfter.Format(time.DateOnly)
				}
			}
			s.step("tls", time.Since(secure), text, err)
		},
	}
	ctx, stop := context.WithTimeout(httptrace.WithClientTrace(ctx, trace), 10*time.Second)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, url, nil)
	if err != nil {
		return
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}
	if resp, err := transport.RoundTrip(req); err == nil {
		resp.Body.Close()
	}
	if strings.HasPrefix(url, "http://") {
		s.Advice = append(s.Advice,
			"the connection is not encrypted: anyone on the network path can read and change the data")
	}
}

// find lists the objects at a URL, and reads one byte of the first.
func (s *Store) find(ctx context.Context, client *object.Client, name string) (found []source.Entry, err error) {
	began := time.Now()
	var refused error
	for e, err := range client.List(ctx, name) {
		if err != nil {
			refused = err
			break
		}
		if e.Size > 0 {
			found = append(found, e)
		}
		if len(found) == wanted {
			break
		}
	}
	switch {
	case spool.ClassOf(refused) == spool.ErrUnsupported: // a plain HTTP server, which has no listing
		found = []source.Entry{{URL: name}}
	case refused != nil:
		s.step("list", time.Since(began), "", refused)
		if spool.ClassOf(refused) != spool.ErrPermission {
			return nil, refused
		}
		found = []source.Entry{{URL: name}} // it may name an object, which can be readable without a listing
	default:
		s.step("list", time.Since(began), fmt.Sprintf("%d objects found", len(found)), nil)
		if len(found) == 0 {
			return nil, &spool.Error{Op: "list", File: s.URL, Class: spool.ErrEmpty,
				Text: "no objects whose URL begins with this"}
		}
	}
	began = time.Now()
	o, err := client.Open(ctx, found[0])
	if err == nil {
		if found[0].Size = o.Info().Size; found[0].Size > 0 {
			_, err = o.ReadAt(ctx, make([]byte, 1), 0)
		} else {
			err = &spool.Error{Op: "read", File: s.URL, Class: spool.ErrEmpty, Text: "zero bytes"}
		}
		_ = o.Close() // always nil
	}
	s.step("read", time.Since(began), "", err)
	if refused != nil && err == nil && spool.ClassOf(refused) == spool.ErrPermission {
		s.Advice = append(s.Advice, "objects can be read but not listed: name them in a list or a table")
	}
	if err != nil && refused != nil && spool.ClassOf(refused) == spool.ErrPermission {
		err = refused
	}
	return found, err
}

// latency times sequential reads of a few bytes each.
func (s *Store) latency(ctx context.Context, client *object.Client, objects []source.Entry) error {
	var took []time.Duration
	buffer := make([]byte, small)
	for i := range smallReads {
		e := objects[i%len(objects)]
		began := time.Now()
		if err := read(ctx, client, e, buffer[:min(small, e.Size)]); err != nil {
			return err
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	s.Latency = &Latency{len(took), ms(took[len(took)/2]), ms(took[len(took)*95/100])}
	return nil
}

func read(ctx context.Context, client *object.Client, e source.Entry, p []byte) error {
	o, err := client.Open(ctx, e)
	if err != nil {
		return err
	}
	defer o.Close()
	_, err = o.ReadAt(ctx, p, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return err
}

// bandwidth reads objects with 1, 2, 4 ... requests in flight. It stops after two steps that are less than 10 % faster
// than the best one before.
func (s *Store) bandwidth(ctx context.Context, client *object.Client, objects []source.Entry) error {
	worse := 0
	best := 0.0
	for n := 1; n <= 256 && worse < 2; n *= 2 {
		b, err := readConcurrently(ctx, client, objects, n)
		if err != nil {
			return err
		}
		s.Bandwidth = append(s.Bandwidth, b)
		if worse++; b.Bytes > 1.1*best {
			best, worse = b.Bytes, 0
		}
	}
	return nil
}

// readConcurrently reads objects with n requests in flight.
func readConcurrently(ctx context.Context, client *object.Client, objects []source.Entry, n int) (b Bandwidth,
	err error) {
	var (
		readers         sync.WaitGroup
		next            atomic.Int64
		requests, bytes atomic.Int64
		once            sync.Once
	)
	began := time.Now()
	for range n {
		readers.Go(func() {
			var buffer []byte
			for time.Since(began) < share {
				e := objects[int(next.Add(1)-1)%len(objects)]
				size := min(e.Size, largest/int64(max(1, n/16)))
				if int64(len(buffer)) < size {
					buffer = make([]byte, size)
				}
				if failed := read(ctx, client, e, buffer[:size]); failed != nil {
					once.Do(func() { err = failed })
					return
				}
				requests.Add(1)
				bytes.Add(size)
			}
		})
	}
	readers.Wait()
	took := time.Since(began).Seconds()
	return Bandwidth{n, float64(requests.Load()) / took, float64(bytes.Load()) / took}, err
}

// advise derives settings and advice from the measurements.
func (s *Store) advise(stats object.Stats, objects []source.Entry) {
	best := slices.MaxFunc(s.Bandwidth, func(a, b Bandwidth) int { return int(a.Bytes - b.Bytes) })
	enough := s.Bandwidth[slices.IndexFunc(s.Bandwidth, func(b Bandwidth) bool { return b.Bytes >= 0.9*best.Bytes })]
	var bytes int64
	for _, e := range objects {
		bytes += e.Size
	}
	mean := bytes / int64(len(objects))
	s.Advice = append(s.Advice, fmt.Sprintf("%d requests at a time are enough for %.1f MB/s; the loader tunes this "+
		"limit by itself", enough.InFlight, best.Bytes/1e6))
	switch {
	case stats.Throttled > 0:
		s.Settings = map[string]int{"max_concurrent_requests": max(enough.InFlight, 8)}
		s.Advice = append(s.Advice, fmt.Sprintf("the store asked for fewer requests: set object.Options.MaxInFlight to %d",
			max(enough.InFlight, 8)))
	case best.InFlight == 256:
		s.Settings = map[string]int{"max_concurrent_requests": 1024}
		s.Advice = append(s.Advice, "throughput still grew at 256 requests at a time: set object.Options.MaxInFlight to 1024")
	}
	if mean < 64<<10 && s.Latency.P50MS > 5 {
		s.Advice = append(s.Advice, fmt.Sprintf("objects of %d kB at %.0f ms: tar shards of many of them would need fewer "+
			"requests", mean/1000, s.Latency.P50MS))
	}
	if files := openFiles(); files >= 0 && files < int64(2*best.InFlight+64) {
		s.Advice = append(s.Advice, fmt.Sprintf("%d open files are too few for so many connections: ulimit -n %d", files,
			4*best.InFlight+256))
	}
}
