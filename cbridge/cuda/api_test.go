package cuda_test

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

// driver.h agrees with NVIDIA's public headers of CUDA 11 to 13.
func TestHeaderIsNVIDIAs(t *testing.T) {
	type api struct {
		Functions map[string]string
		Numbers   map[string]int
		Types     map[string]string
	}
	text, err := os.ReadFile("testdata/api.json")
	require.NoError(t, err)
	var headers map[string]api
	require.NoError(t, json.Unmarshal(text, &headers))
	require.Len(t, headers, 4)

	text, err = os.ReadFile("driver.h")
	require.NoError(t, err)
	text = regexp.MustCompile(`, \\\n\s+`).ReplaceAll(text, []byte(", ")) // an entry may take two lines
	ours := api{Functions: map[string]string{}, Numbers: map[string]int{}, Types: map[string]string{}}
	for _, m := range regexp.MustCompile(`(?m)^    X\((\w+), (.*)\)\s*\\?$`).FindAllStringSubmatch(string(text), -1) {
		ours.Functions[m[1]] = m[2]
	}
	for _, m := range regexp.MustCompile(`(?m)^    (CU\w+) = (\d+),$`).FindAllStringSubmatch(string(text), -1) {
		ours.Numbers[m[1]], err = strconv.Atoi(m[2])
		require.NoError(t, err)
	}
	sizes := map[string]string{"unsigned int": "unsigned 32", "int": "signed 32", "unsigned long long": "unsigned 64"} //nolint:dupword // a type of C
	for _, m := range regexp.MustCompile(`(?m)^typedef (.*?)(CU\w+);`).FindAllStringSubmatch(string(text), -1) {
		as := sizes[strings.TrimSpace(m[1])]
		if strings.HasSuffix(m[1], "*") {
			as = "pointer 64"
		}
		ours.Types[m[2]] = as
	}
	assert.Len(t, ours.Functions, strings.Count(string(text), "X(cu"))
	assert.NotEmpty(t, ours.Numbers)
	assert.NotEmpty(t, ours.Types)
	for name, header := range headers {
		assert.Equal(t, header, ours, name)
	}
}
