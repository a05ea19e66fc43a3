package indexpath

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Names must not change, because existing indexes would not be found.
func TestOf(t *testing.T) {
	for _, test := range []struct{ file, folder, want string }{
		{"/a/x.mp4", "", "/a/x.mp4.spoolidx"},
		{"x.tar", "", "x.tar.spoolidx"},
		{"/a/x.mp4", "/indexes", "/indexes/x.mp4-fa3e8e4c.spoolidx"},
		{"/b/x.mp4", "/indexes", "/indexes/x.mp4-e96e7db8.spoolidx"},
		{"s3://b/x.mp4", "/indexes", "/indexes/x.mp4-0c2eb458.spoolidx"},
		{"https://h/x.mp4?signature", "/indexes", "/indexes/x.mp4-9f66ec22.spoolidx"},
	} {
		got, err := Of(test.file, test.folder)
		require.NoError(t, err)
		assert.Equal(t, test.want, got)
	}
}
