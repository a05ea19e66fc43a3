package nvjpeg_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// api.h agrees with NVIDIA's public headers of CUDA 11 to 13.
func TestHeaderIsNVIDIAs(t *testing.T) {
	type api struct {
		Functions map[string]string
		Numbers   map[string]int
		Types     map[string]string
		Image     string
	}
	text, err := os.ReadFile("testdata/api.json")
	require.NoError(t, err)
	var headers map[string]api
	require.NoError(t, json.Unmarshal(text, &headers))
	require.Len(t, headers, 4)

	text, err = os.ReadFile("api.h")
	require.NoError(t, err)
	text = regexp.MustCompile(`, \\\n\s+`).ReplaceAll(text, []byte(", ")) // an entry may take two lines
	ours := api{Functions: map[string]string{}, Numbers: map[string]int{}, Types: map[string]string{}}
	for _, m := range regexp.MustCompile(`(?m)^    X\((\w+), (.*)\)\s*\\?$`).FindAllStringSubmatch(string(text), -1) {
		ours.Functions[m[1]] = m[2]
	}
	for _, m := range regexp.MustCompile(`(\w+) = (\d+)`).FindAllStringSubmatch(string(text), -1) {
		ours.Numbers[m[1]], err = strconv.Atoi(m[2])
		require.NoError(t, err)
	}
	for _, m := range regexp.MustCompile(`(?m)^typedef (unsigned int|struct \w+ \*)\s*(\w+);`).FindAllStringSubmatch(string(text), -1) {
		ours.Types[m[2]] = "unsigned 32"
		if strings.HasSuffix(m[1], "*") {
			ours.Types[m[2]] = "pointer 64"
		}
	}
	image := regexp.MustCompile(`(?s)typedef struct \{([^{}]*)\} nvjpegImage_t;`).FindStringSubmatch(string(text))
	require.NotNil(t, image)
	ours.Image = strings.Join(regexp.MustCompile(`\w+|[^\w\s]`).FindAllString(image[1], -1), " ")
	ours.Image = strings.ReplaceAll(ours.Image, "NVJPEG_MAX_COMPONENT", strconv.Itoa(ours.Numbers["NVJPEG_MAX_COMPONENT"]))

	assert.Len(t, ours.Functions, strings.Count(string(text), "X(nvjpeg"))
	assert.NotEmpty(t, ours.Types)
	const later = "NVJPEG_FLAGS_UPSAMPLING_WITH_INTERPOLATION"
	known := 0
	for name, header := range headers {
		if n, ok := header.Numbers[later]; ok {
			assert.Equal(t, ours.Numbers[later], n)
			known++
		} else {
			header.Numbers[later] = ours.Numbers[later]
		}
		assert.Equal(t, header, ours, name)
	}
	assert.Equal(t, 2, known)
}
