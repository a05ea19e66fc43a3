package bench

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
)

func TestBenchTrain(t *testing.T) {
	var train, images benched
	flags := []string{"--files", clitest.Media + "/photos/animal/*.jpg", "--size", "32", "--repeat", "2", "--json"}
	require.NoError(t, json.Unmarshal([]byte(tool.Done(t, append([]string{"bench", "train"}, flags...)...)), &train))
	require.NoError(t, json.Unmarshal([]byte(tool.Done(t, append([]string{"bench", "images"}, flags...)...)), &images))
	assert.Equal(t, "train", train.Work)
	assert.Equal(t, "images", images.Work)
	assert.Equal(t, images.Items, train.Items)
	assert.Equal(t, "exact", train.Profile)
	assert.Positive(t, train.Rate)
}
