package live_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/internal/live"
	"github.com/spoolmedia/spool/pipe"
)

// The page shows the last failures, each file once, and in the state of its last failure.
func TestRecent(t *testing.T) {
	var r live.Recent
	for n := range 20 {
		r.Add(pipe.Failure{File: fmt.Sprint(n)})
	}
	r.Add(pipe.Failure{File: "15", Text: "again"})
	var files []string
	for _, f := range r.List() {
		files = append(files, f.File+f.Text)
	}
	assert.Equal(t, []string{"15again", "19", "18", "17", "16", "14", "13", "12", "11", "10", "9", "8"}, files)
}
