package record_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/record"
)

// decoded is a decoded record.
type decoded struct {
	record.Result
	arrays map[string][]byte
}

// floats returns an array of float64.
func (d decoded) floats(name string) []float64 {
	all := make([]float64, len(d.arrays[name])/8)
	for i := range all {
		all[i] = math.Float64frombits(binary.NativeEndian.Uint64(d.arrays[name][8*i:]))
	}
	return all
}

// integers returns an array of int64.
func (d decoded) integers(name string) []int {
	all := make([]int, len(d.arrays[name])/8)
	for i := range all {
		all[i] = int(int64(binary.NativeEndian.Uint64(d.arrays[name][8*i:])))
	}
	return all
}

// newDecoders returns decoders that are closed at the test's end.
func newDecoders(t testing.TB) *decoders.Set {
	t.Helper()
	set, err := decoders.New(decoders.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, set.Close()) })
	return set
}

// decodeAll decodes a record. values are its inputs by their names: a string is the name of a file of testdata, and
// bytes are the input itself. Inputs without a value are absent.
func decodeAll(t testing.TB, set *decoders.Set, open *record.OpenFiles, s record.Schema, values map[string]any,
	by order.Draw) (decoded, error) {
	t.Helper()
	plan, err := record.NewPlan(s)
	require.NoError(t, err)
	inputs := make([]spool.Object, len(plan.Inputs()))
	for i, in := range plan.Inputs() {
		switch x := values[in.Name].(type) {
		case string:
			file, err := spool.File(media+"/"+x).OpenParts(ctx, 0, 0)
			require.NoError(t, err)
			if inputs[i] = file; !plan.Owned(i) {
				defer file.Close()
			}
		case []byte:
			inputs[i] = spool.Bytes{Data: x, Name: in.Name}
		}
	}
	d := decoded{arrays: map[string][]byte{}}
	for _, a := range plan.Arrays() {
		n, _ := a.Sample.Bytes()
		d.arrays[a.Name] = make([]byte, n)
	}
	with := record.Decoders{Images: set.Images, Videos: set.Videos, Audios: set.Audios, Open: open}
	d.Result, err = plan.Decode(ctx, with, inputs, func(i int) []byte { return d.arrays[plan.Arrays()[i].Name] }, by)
	return d, err
}
