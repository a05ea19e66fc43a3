package annotation_test

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// readJSON reads a file of testdata.
func readJSON(t testing.TB, name string, into any) {
	file, err := os.Open("testdata/" + name)
	require.NoError(t, err)
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	require.NoError(t, err)
	require.NoError(t, json.NewDecoder(unpacked).Decode(into))
}
