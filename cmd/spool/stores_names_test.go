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

// asShelves makes this test binary a store of S3, of as many small pictures as the variable says: in a process of its own, so that it
// is not measured.
const asShelves = "SPOOL_TEST_AS_SHELVES"

const (
	shelfLatency = 50 * time.Millisecond
	pictureTag   = "d41d8cd98f00b204e9800998ecf8427e"
)

// shelves is a bucket "classes" with pictures in class folders, a hundred each, and a bucket "flat" with all in one folder. They
// are one picture.
type shelves struct {
	buckets map[string][]string
	rows    map[string]rows
	picture []byte
}

// rows are a bucket's rows of listings, end to end, as they are sent: making pages is no work of the server then.
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
		s.buckets["classes"] = append(s.buckets["classes"], fmt.Sprintf("train/n%08d/n%08d_%d.JPEG", 1440764+i/100*137, 1440764+i/100*137, i%100))
		s.buckets["flat"] = append(s.buckets["flat"], fmt.Sprintf("train/%08d.jpg", i))
	}
	var b bytes.Buffer
	_ = jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 32, 32)), nil)
	s.picture = b.Bytes()
	for bucket, keys := range s.buckets {
		slices.Sort(keys)
		var r rows
		for _, key := range keys {
			r.text = fmt.Appendf(r.text, `<Contents><Key>%s</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>&quot;%s&quot;</ETag>`+
				`<Size>%d</Size><StorageClass>STANDARD</StorageClass></Contents>`, key, pictureTag, len(s.picture))
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
		w.Header().Set("Etag", `"`+pictureTag+`"`)
		http.ServeContent(w, r, "x.jpg", time.Time{}, bytes.NewReader(s.picture))
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

// keepShelves serves until the input ends, which it does with the process that started this one.
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

// startShelves starts a store and gives its address.
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
		_ = c.Wait() // or it was killed, as the test's context has ended
	})
	address, err := bufio.NewReader(output).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(address)
}

// began is what a run came to: when its first batch was there, from the start of the process, and its peak of memory.
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

// BenchmarkNames runs the command on buckets of -names objects, of a server that takes 50 ms an answer: how long the first batch
// takes from the start of the process, and the most memory that the process has.
func BenchmarkNames(b *testing.B) {
	address := startShelves(b, *namesCount)
	table := b.TempDir() + "/names.csv"
	for _, bucket := range []string{"classes", "flat"} {
		from := "s3://" + bucket + "/train/"
		stores := []string{"--endpoint-url", address, "--no-sign-request"}
		for _, test := range []struct {
			name   string
			source []string
		}{{"in order", []string{from}}, {"streamed", []string{from, "--streaming"}}, {"shuffled", []string{from, "--shuffle"}}, {"table", []string{table, "--shuffle"}}} {
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
