package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
)

var namesCount = flag.Int("names", 100_000, "how many objects BenchmarkNames has in a bucket")

// asShelves makes this test binary an S3 store, with as many small images as the variable says. It is another process,
// so that its cost is not measured.
const asShelves = "SPOOL_TEST_AS_SHELVES"

const (
	shelfLatency = 50 * time.Millisecond
	imageTag     = "d41d8cd98f00b204e9800998ecf8427e"
)

// shelves has a bucket "classes" of images in class folders, a hundred each, and a bucket "flat" with all of them in
// one folder. All are the same image.
type shelves struct {
	buckets map[string][]string
	rows    map[string]rows
	image   []byte
}

// rows are a bucket's rows of listings, end to end, as they are sent, so that pages cost the server nothing.
type rows struct {
	text []byte
	ends []int
}

func (r *rows) page(from, to int) []byte {
	begin := 0
	if from > 0 {
		begin = r.ends[from-1]
	}
	return r.text[begin:r.ends[to-1]]
}

func newShelves(n int) *shelves {
	s := &shelves{buckets: map[string][]string{}, rows: map[string]rows{}}
	for i := range n {
		s.buckets["classes"] = append(s.buckets["classes"],
			fmt.Sprintf("train/n%08d/n%08d_%d.JPEG", 1440764+i/100*137, 1440764+i/100*137, i%100))
		s.buckets["flat"] = append(s.buckets["flat"], fmt.Sprintf("train/%08d.jpg", i))
	}
	var b bytes.Buffer
	_ = jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 32, 32)), nil)
	s.image = b.Bytes()
	for bucket, keys := range s.buckets {
		slices.Sort(keys)
		var r rows
		for _, key := range keys {
			r.text = fmt.Appendf(r.text, `<Contents><Key>%s</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>&quot;%s&quot;</ETag>`+
				`<Size>%d</Size><StorageClass>STANDARD</StorageClass></Contents>`, key, imageTag, len(s.image))
			r.ends = append(r.ends, len(r.text))
		}
		s.rows[bucket] = r
	}
	return s
}

func (s *shelves) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	<-time.After(shelfLatency)
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if key != "" {
		w.Header().Set("Etag", `"`+imageTag+`"`)
		http.ServeContent(w, r, "x.jpg", time.Time{}, bytes.NewReader(s.image))
		return
	}
	keys, after := s.buckets[bucket], r.FormValue("start-after")
	i, found := slices.BinarySearch(keys, max(after, r.FormValue("prefix")))
	if found && after != "" {
		i++
	}
	end := min(i+1000, len(keys))
	rows := s.rows[bucket]
	head, page := fmt.Sprintf("<ListBucketResult><IsTruncated>%v</IsTruncated>", end < len(keys)), rows.page(i, end)
	w.Header().Set("Content-Length", strconv.Itoa(len(head)+len(page)+len(foot)))
	_, _ = io.WriteString(w, head)
	_, _ = w.Write(page)
	_, _ = io.WriteString(w, foot)
}

const foot = "</ListBucketResult>"

// keepShelves serves until its input ends, which ends with the parent process.
func keepShelves(n string) {
	var count int
	if _, err := fmt.Sscan(n, &count); err != nil {
		os.Exit(cli.ExitUsage)
	}
	server := httptest.NewServer(newShelves(count))
	fmt.Println(server.URL)
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(cli.ExitDone)
}

// startShelves starts a store and returns its URL.
func startShelves(t testing.TB, n int) string {
	t.Helper()
	c := process(t)
	c.Env = append(os.Environ(), fmt.Sprintf("%s=%d", asShelves, n))
	input, err := c.StdinPipe()
	require.NoError(t, err)
	output, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		_ = input.Close()
		_ = c.Wait() // it may have been killed, since the test's context has ended
	})
	url, err := bufio.NewReader(output).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(url)
}

// began is the result of a run: the time from the start of the process to its first batch, and its peak memory.
type began struct {
	first time.Duration
	RSS   int64 `json:"rss_mb"`
}

func begin(t testing.TB, args ...string) (b began) {
	t.Helper()
	c := process(t, append([]string{"run", "images", "--size", "32", "--limit", "1024", "--digest", "--json"}, args...)...)
	output, err := c.StdoutPipe()
	require.NoError(t, err)
	c.Stderr = os.Stderr
	start := time.Now()
	require.NoError(t, c.Start())
	lines := bufio.NewScanner(output)
	require.True(t, lines.Scan(), "a batch")
	b.first = time.Since(start)
	require.Regexp(t, `^0 0 [0-9a-f]{64}$`, lines.Text())
	var last []byte
	for lines.Scan() {
		last = bytes.Clone(lines.Bytes())
	}
	require.NoError(t, c.Wait())
	require.NoError(t, json.Unmarshal(last, &b))
	return b
}

// BenchmarkNames runs the command on buckets of -names objects, on a server that takes 50 ms per answer. It measures
// the time from the start of the process to the first batch, and the peak memory of the process.
func BenchmarkNames(b *testing.B) {
	url := startShelves(b, *namesCount)
	table := b.TempDir() + "/names.csv"
	for _, bucket := range []string{"classes", "flat"} {
		from := "s3://" + bucket + "/train/"
		stores := []string{"--endpoint-url", url, "--no-sign-request"}
		for _, test := range []struct {
			name   string
			source []string
		}{{"in order", []string{from}}, {"streamed", []string{from, "--streaming"}},
			{"shuffled", []string{from, "--shuffle"}}, {"table", []string{table, "--shuffle"}}} {
			b.Run(bucket+"/"+test.name, func(b *testing.B) {
				var sum time.Duration
				most := int64(0)
				if test.source[0] == table {
					start := time.Now()
					require.NoError(b, process(b, append([]string{"list", from, "--out", table}, stores...)...).Run())
					b.ReportMetric(time.Since(start).Seconds(), "s/list")
				}
				for range b.N {
					came := begin(b, append(test.source, stores...)...)
					sum += came.first
					most = max(most, came.RSS)
				}
				b.ReportMetric(sum.Seconds()/float64(b.N), "s/first-batch")
				b.ReportMetric(float64(most), "MB-peak")
			})
		}
	}
}
