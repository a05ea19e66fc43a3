package claims

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// claim is a row of docs/claims.md: the beginning of a sentence, and the evidence for it.
type claim struct {
	begins   string
	evidence []string
}

// claims reads the tables of docs/claims.md, one below the heading of each page.
func claims(text string) map[string][]claim {
	pages := map[string][]claim{}
	page := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "## "); ok {
			page = name
		}
		if page == "" || !strings.HasPrefix(line, "|") || strings.Trim(line, "|-: ") == "" {
			continue
		}
		begins, evidence, _ := strings.Cut(strings.Trim(line, "| "), " | ")
		if begins == "sentence" {
			continue
		}
		c := claim{begins: strings.TrimSpace(begins)}
		for e := range strings.SplitSeq(evidence, ", ") {
			c.evidence = append(c.evidence, strings.TrimSpace(e))
		}
		pages[page] = append(pages[page], c)
	}
	return pages
}

// unproved compares the sentences of a page with the claims that name evidence for them.
func unproved(sentences []string, claims []claim) (wrong []string) {
	used := make([]bool, len(claims))
	for _, s := range sentences {
		found := false
		for i, c := range claims {
			if strings.HasPrefix(s, c.begins) {
				found, used[i] = true, true
			}
		}
		if !found {
			wrong = append(wrong, "no evidence for: "+s)
		}
	}
	for i, c := range claims {
		if !used[i] {
			wrong = append(wrong, "no such sentence: "+c.begins)
		}
	}
	return wrong
}

// checkEvidence reports evidence that does not exist below root: a file, a function of a test file (FILE:FUNCTION) or a
// target of a Makefile (Makefile:TARGET). "none (REASON)" marks sentences that state nothing to test.
func checkEvidence(root, evidence string) error {
	if strings.HasPrefix(evidence, "none (") && len(evidence) > len("none ()") {
		return nil
	}
	name, part, _ := strings.Cut(evidence, ":")
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		return err
	}
	var pattern string
	switch {
	case part == "":
		return nil
	case strings.HasSuffix(name, ".go"):
		pattern = `(?m)^func ` + regexp.QuoteMeta(part) + `\(`
	case strings.HasSuffix(name, ".py"):
		pattern = `(?m)^\s*def ` + regexp.QuoteMeta(part) + `\(`
	default:
		pattern = `(?m)^` + regexp.QuoteMeta(part) + `:`
	}
	if !regexp.MustCompile(pattern).Match(text) {
		return fmt.Errorf("%s has no %s", name, part)
	}
	return nil
}
