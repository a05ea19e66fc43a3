package source_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/shard"
	"github.com/spoolmedia/spool/source/table"
)

// lines is a custom format: one sample per line, as path|label|key|bytes.
type lines struct {
	list  []string
	asked table.Columns
}

func openLines(ctx context.Context, open func(context.Context) (spool.Object, error), c table.Columns,
	u *table.Cache) (table.Rows, error) {
	o, err := open(ctx)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	text, err := spool.ReadAll(ctx, o, nil, u.Limit())
	return &lines{strings.Fields(string(text)), c}, err
}

func (l *lines) Len() int { return len(l.list) }

func (l *lines) Row(k int) (table.Row, error) {
	f := strings.Split(l.list[k], "|")
	if len(f) < 4 {
		return table.Row{}, assert.AnError
	}
	return table.Row{Path: f[0], Label: f[1], Key: f[2], Held: f[3] != ""}, nil
}

func (l *lines) Labels() iter.Seq[string] {
	return func(yield func(string) bool) {
		for k := range l.list {
			if row, err := l.Row(k); err == nil && !yield(row.Label) {
				return
			}
		}
	}
}

func (l *lines) Open(_ context.Context, k int) (spool.Object, error) {
	switch text := strings.Split(l.list[k], "|")[3]; text {
	case "none":
		return nil, nil
	case "bad":
		return nil, &spool.Error{Op: "read", Class: spool.ErrCorrupt, Text: "a page"}
	default:
		return shard.Memory(text), nil
	}
}

func (l *lines) Sizes() []int { return []int{1, len(l.list) - 1} }

// TestFormat: a manifest of a custom format may hold samples, whose items are named after their rows.
func TestFormat(t *testing.T) {
	tree(t, "a.jpg")
	write(t, "m.x", "a.jpg|dog|k1| b.jpg|cat|k2|bytes a.jpg|dog||none |cat|k4|none m.x:5|dog||none c.jpg|cat||bad short")
	write(t, "m.csv", "path\nm.x:2\nm.x:3\nm.x:99\nm.x:5\nm.x:6\n")
	options := source.Options{Formats: map[string]table.Format{".x": openLines}}
	s, err := source.Open(t.Context(), []string{"m.x", "m.csv"}, options)
	require.NoError(t, err)
	assert.Equal(t, []string{"cat", "dog"}, s.Classes())
	assert.Equal(t, []int{1, 6, 5}, s.Sizes())
	assert.Equal(t, []source.Item{{ID: 0, Name: "a.jpg", Label: 1, Key: "k1"}, {ID: 1, Name: "m.x:2", Key: "k2"},
		{ID: 2, Name: "m.x:3", Label: 1}},
		[]source.Item{s.Item(0), s.Item(1), s.Item(2)})
	for i, want := range []struct {
		content string
		class   error
		name    string
	}{
		{"", nil, ""}, {"bytes", nil, ""}, {"", nil, ""}, {"", spool.ErrEmpty, "m.x:4"}, {"", spool.ErrNotFound, "m.x:5"},
		{"", spool.ErrCorrupt, "m.x:6"},
		{"", spool.ErrCorrupt, "m.x:7"},
		{"bytes", nil, ""}, {"", nil, ""}, {"", spool.ErrNotFound, "m.x:99"}, {"", spool.ErrNotFound, "m.x:5"},
		{"", spool.ErrCorrupt, "m.x:6"},
	} {
		if want.class == nil {
			assert.Equal(t, want.content, content(t, s, i), i)
			continue
		}
		_, err := s.Open(t.Context(), i)
		assert.ErrorIs(t, err, want.class, i)
		assert.ErrorContains(t, err, want.name)
	}
}
