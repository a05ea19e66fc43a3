package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
)

// Each batch of a run with random order, crops and bad files can be made again, with the digest that the run printed.
func TestBatchAgain(t *testing.T) {
	for _, name := range []string{"receipts.jsonl", "receipts.arrow", "receipts.parquet"} {
		t.Run(name, func(t *testing.T) { testBatchAgain(t, name) })
	}
}

func testBatchAgain(t *testing.T, receipts string) {
	folder := t.TempDir()
	for _, name := range []string{"00", "01", "02", "03", "04", "05", "06"} {
		data := clitest.Content(t, "photos/animal/"+name+".jpg")
		if name == "03" {
			data = data[:len(data)/2]
		}
		require.NoError(t, os.WriteFile(filepath.Join(folder, name+".jpg"), data, 0o600))
	}
	file := filepath.Join(folder, receipts)
	o := tool.Run("run", "images", folder+"/*.jpg", "--size", "16", "--batch", "2", "--epochs", "3", "--shuffle",
		"--train", "--seed", "5", "--digest", "--receipts", file, "--receipt-digests", "--ledger",
		filepath.Join(folder, "ledger"))
	require.Zero(t, o.Code, o.Stderr)
	lines := strings.Split(o.Stdout, "\n")[:9]
	for number, line := range lines {
		require.Len(t, strings.Fields(line), 3)
		again := tool.Run("replay", "--receipt", file, "--batch", string(rune('0'+number)))
		require.Zero(t, again.Code, again.Stderr)
		assert.Equal(t, line+"\n2 samples: the same bytes\n", again.Stdout)
	}
	o = tool.Run("replay", "--receipt", file, "--batch", "9")
	assert.Equal(t, 1, o.Code)
	assert.Equal(t, "spool: "+file+": not-found: no batch 9: the run had 9\n", o.Stderr)

	require.NoError(t, os.WriteFile(filepath.Join(folder, "02.jpg"), clitest.Content(t, "photos/animal/07.jpg"), 0o600))
	different := 0
	for number := range lines[:3] { // an epoch has the file once
		o := tool.Run("replay", "--receipt", file, "--batch", string(rune('0'+number)))
		if o.Code == 1 {
			different++
			assert.Regexp(t, `(?m)^spool: slot [01]: `+folder+`/02.jpg: (its bytes have the SHA-256 |another area)`, o.Stderr)
			assert.Equal(t, 1, strings.Count(o.Stderr, "slot"), "the other sample is the same")
		}
	}
	assert.Equal(t, 1, different)
}

func TestReceiptsRefused(t *testing.T) {
	const what = "spool: usage: --receipts needs --order exact, and excludes --headspace: only such batches can be made " +
		"again"
	tool.Refused(t, 2, []string{what}, "run", "images", "x", "--receipts", "y", "--order", "any")
	tool.Refused(t, 2, []string{"spool: usage: --receipt-digests needs --receipts"}, "run", "images", "x",
		"--receipt-digests")
	o := tool.Run("replay", "--receipt", clitest.Text)
	assert.Equal(t, 1, o.Code)
	assert.Contains(t, o.Stderr, "text.jpg: corrupt: no file of receipts: ")
}
