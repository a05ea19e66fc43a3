package contactsheet

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func TestCaption(t *testing.T) {
	assert.Equal(t, "12", caption(batch.Sample{ID: 12, Label: -1}))
	assert.Equal(t, "12 (3)", caption(batch.Sample{ID: 12, Label: 3}))
	assert.Equal(t, "0 (0) damaged", caption(batch.Sample{State: batch.Damaged}))
	assert.Equal(t, "7 placeholder", caption(batch.Sample{ID: 7, Label: -1, State: batch.Placeholder}))
}
