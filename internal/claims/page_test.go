package claims

import (
	"regexp"
	"strings"
)

var (
	link     = regexp.MustCompile(`!?\[([^]]*)\]\([^)]*\)`)
	sentence = regexp.MustCompile("([.!?:])\\s+([A-Z`\"])")
	item     = regexp.MustCompile(`^\s*([-*]|\d+\.)\s+`)
)

// sentences lists the statements of a Markdown page: the sentences of its paragraphs and list items, and the rows of
// its tables. It leaves out headings, code blocks and generated blocks (between bench:begin and bench:end).
func sentences(page string) (all []string) {
	var paragraph []string
	flush := func() {
		text := strings.Join(strings.Fields(strings.Join(paragraph, " ")), " ")
		paragraph = nil
		for s := range strings.SplitSeq(sentence.ReplaceAllString(text, "$1\x00$2"), "\x00") {
			if s != "" {
				all = append(all, s)
			}
		}
	}
	code, generated, header := false, false, true
	for line := range strings.Lines(page) {
		line = strings.TrimRight(strings.TrimPrefix(line, "> "), "\n")
		line = strings.ReplaceAll(link.ReplaceAllString(line, "$1"), "**", "")
		row := strings.HasPrefix(line, "|")
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			flush()
			code = !code
		case code:
		case strings.HasPrefix(line, "<!--"):
			flush()
			generated = strings.Contains(line, "bench:begin")
		case generated:
		case row && strings.Trim(line, "|-: ") == "":
			header = false
		case row && !header:
			all = append(all, strings.Join(strings.Fields(strings.Trim(line, "| ")), " "))
		case row, line == "", strings.HasPrefix(line, "#"):
			flush()
		case item.MatchString(line):
			flush()
			paragraph = append(paragraph, item.ReplaceAllString(line, ""))
		default:
			paragraph = append(paragraph, line)
		}
		header = header || !row
	}
	flush()
	return all
}
