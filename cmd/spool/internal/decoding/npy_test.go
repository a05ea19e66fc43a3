package decoding

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
)

func TestNPY(t *testing.T) {
	for _, c := range []struct {
		desc  spool.Desc
		dtype string
	}{
		{spool.Desc{Shape: spool.Shape{2, 3, 3}, DType: spool.Uint8}, "|u1"},
		{spool.Desc{Shape: spool.Shape{1, 262144, 262144, 3}, DType: spool.Float16}, "<f2"},
		{spool.Desc{Shape: spool.Shape{7}, DType: spool.Float32}, "<f4"},
		{spool.Desc{Shape: spool.Shape{4, 5}, DType: spool.Int64}, "<i8"},
		{spool.Desc{Shape: spool.Shape{4, 5}, DType: spool.BFloat16}, "<V2"},
	} {
		var file bytes.Buffer
		require.NoError(t, writeNPY(&file, c.desc, nil))
		header := file.Bytes()[10:]
		fields := clitest.NPYHeader.FindSubmatch(header)
		require.NotNil(t, fields, "%q", header)
		assert.Equal(t, c.dtype, string(fields[1]))
		want := strings.Trim(fmt.Sprint([]int(c.desc.Shape)), "[]")
		assert.Equal(t, want, strings.Join(strings.Fields(strings.ReplaceAll(string(fields[2]), ",", " ")), " "))
		if len(c.desc.Shape) == 1 {
			assert.Equal(t, "7,", string(fields[2]), "a tuple of one")
		}
		assert.Zero(t, file.Len()%64)
	}
}
