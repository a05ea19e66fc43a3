package object

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestScatter(t *testing.T) {
	s := scatter{[]byte("abc"), nil, []byte("d"), []byte("efgh")}
	join := func(s scatter) string {
		all := ""
		for _, p := range s {
			all += string(p)
		}
		return all
	}
	for from := range 9 {
		for to := range 9 - from {
			assert.Equal(t, "abcdefgh"[from:from+to], join(s.from(int64(from)).to(int64(to))))
		}
	}
	assert.EqualValues(t, 8, s.size())
	assert.Equal(t, "abcdefgh", join(s), "it is as it was")
}
