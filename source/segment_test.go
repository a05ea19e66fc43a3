package source_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// segmentsOf returns the segments of a table as text, with the classes of errors.
func segmentsOf(t testing.TB, s source.Segmented) (all []string) {
	t.Helper()
	for i := range s.Len() {
		part, err := s.Segment(t.Context(), i)
		switch {
		case err != nil:
			all = append(all, string(spool.ClassOf(err)))
		case part == nil:
			all = append(all, "whole")
		default:
			all = append(all, part.String())
		}
	}
	return all
}

// TestSegments: rows of all text formats are segments of their files. What is wrong with a row is its own error.
func TestSegments(t *testing.T) {
	tree(t, "x.mp4")
	write(t, "t.csv", "path,label,start,end,stream\nx.mp4,1,0.5,2,1\nx.mp4,1,,,\nx.mp4,0,3,2,\nx.mp4,0,nan,2,\n"+
		"x.mp4,0,1,2,-1\nx.mp4,0,1,,1.0\n")
	write(t, "t.jsonl", `{"path":"x.mp4","time_start":1,"time_end":2.5}`+"\n"+`{"path":"x.mp4","time_start":null}`)
	write(t, "whole.csv", "path,label\nx.mp4,3\n")
	o := source.Options{Medium: source.Videos}
	l, err := source.Open(t.Context(), []string{"t.csv", "t.jsonl", "whole.csv", "x.mp4"}, o)
	require.NoError(t, err)
	want := []string{"[0.5, 2) of stream 1", "[-Inf, +Inf)", "corrupt", "corrupt", "corrupt", "[1, +Inf) of stream 1",
		"[1, 2.5)", "[-Inf, +Inf)", "whole", "whole"}
	assert.Equal(t, want, segmentsOf(t, l))
	part, err := l.Segment(t.Context(), 1)
	require.NoError(t, err)
	assert.Equal(t, &source.Segment{Start: math.Inf(-1), End: math.Inf(1)}, part)

	s, err := source.OpenStream(t.Context(), []string{"t.jsonl", "x.mp4"}, o)
	require.NoError(t, err)
	var streamed []string
	for item, err := range s.Samples(t.Context(), 0) {
		require.NoError(t, err)
		part, err := s.Segment(t.Context(), int(item.ID))
		require.NoError(t, err)
		if part == nil {
			streamed = append(streamed, "whole")
			continue
		}
		streamed = append(streamed, part.String())
	}
	assert.Equal(t, want[6:9], streamed)

	o.Medium = source.Images
	l, err = source.Open(t.Context(), []string{"t.csv"}, o)
	require.NoError(t, err)
	assert.Equal(t, "whole", segmentsOf(t, l)[0], "images have no times")
}

// TestManifestOfSegments: a written manifest has the same segments.
func TestManifestOfSegments(t *testing.T) {
	tree(t, "x.mp4")
	write(t, "t.csv", "path,label,start,end,stream\nx.mp4,1,0.1,2,1\nx.mp4,0,,3,\n")
	l, err := source.Open(t.Context(), []string{"t.csv", "x.mp4"}, source.Options{Medium: source.Videos})
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, l.WriteManifest(&text))
	write(t, "copy.csv", text.String())
	again, err := source.Open(t.Context(), []string{"copy.csv"}, source.Options{Medium: source.Videos})
	require.NoError(t, err)
	assert.Equal(t, []string{"[0.1, 2) of stream 1", "[-Inf, 3)", "[-Inf, +Inf)"}, segmentsOf(t, again))
	assert.Equal(t, labels(l), labels(again))
}

// TestSegmentsOfRecords: rows of tables of records are segments if that is asked for. Columns that are inputs do not
// make them segments.
func TestSegmentsOfRecords(t *testing.T) {
	tree(t, "x.mp4")
	write(t, "t.csv", "film,start,end,text\nx.mp4,0.5,2,a\nx.mp4,,,b\nx.mp4,3,2,c\nx.mp4,1,,d\n")
	inputs := []source.Input{{Name: "film"}, {Name: "text", Value: true}}
	o := source.Options{Medium: source.Videos}
	_, err := source.OpenRecords(t.Context(), []string{"t.csv"}, inputs, o)
	require.ErrorIs(t, err, spool.ErrUnsupported)
	o.Segments = true
	r, err := source.OpenRecords(t.Context(), []string{"t.csv"}, inputs, o)
	require.NoError(t, err)
	assert.True(t, r.Segmented())
	assert.Equal(t, []string{"[0.5, 2)", "[-Inf, +Inf)", "corrupt", "[1, +Inf)"}, segmentsOf(t, r))
	o.Where = "text != 'b'"
	r, err = source.OpenRecords(t.Context(), []string{"t.csv"}, inputs, o)
	require.NoError(t, err)
	assert.Equal(t, []string{"[0.5, 2)", "corrupt", "[1, +Inf)"}, segmentsOf(t, r))
	o.Where = ""
	for _, name := range []string{"start", "end"} {
		inputs = append(inputs, source.Input{Name: name, Value: true, Optional: true})
	}
	r, err = source.OpenRecords(t.Context(), []string{"t.csv"}, inputs, o)
	require.NoError(t, err)
	assert.False(t, r.Segmented())
	assert.Equal(t, []string{"whole", "whole", "whole", "whole"}, segmentsOf(t, r))
}
