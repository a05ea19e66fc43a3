package settings

import "regexp"

// Conceal is a text, such as a word of a command line or what is wrong with it, without what addresses in it may have for
// passwords and signatures. It may cut off more than that: what follows a query.
func Conceal(text string) string {
	return query.ReplaceAllString(user.ReplaceAllString(text, "$1"), "$1")
}

var (
	user  = regexp.MustCompile(`(://)[^/?#]*@`)
	query = regexp.MustCompile(`(?i)(https?://[^?#\n]*)[?#].*`)
)
