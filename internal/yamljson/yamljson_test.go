package yamljson_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/internal/yamljson"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func TestConvert(t *testing.T) {
	for text, want := range map[string]string{
		"fields:\n  z: {kind: image, size: 8} # a comment\n  a: [1, 2.5, yes, null, text, \"8\"]\n": `{"fields":{"z":` +
			`{"kind":"image","size":8},"a":[1,2.5,"yes",null,"text","8"]}}`,
		`{"fields": {"b": 1}}`:  `{"fields":{"b":1}}`,
		"a: &x {k: 1}\nb: *x\n": `{"a":{"k":1},"b":{"k":1}}`,
		"":                      "null",
	} {
		got, err := yamljson.Convert([]byte(text))
		require.NoError(t, err, text)
		assert.Equal(t, want, string(got), "the order of keys is kept")
	}
	for _, text := range []string{"a: [", "\t- x", "a: !!binary ?"} {
		_, err := yamljson.Convert([]byte(text))
		require.Error(t, err, text)
	}
}
