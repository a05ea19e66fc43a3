package settings

import "strings"

// The fields of the libraries that errors and notices at run time name, and their settings.
var fieldNames = []struct{ field, setting string }{
	{"source.Options.Ignore", "ignore-columns"},
	{"source.Options.Label", "label"},
	{"object.Options.Region", "region"},
	{"object.Options.MaxInFlight", "max-concurrent-requests"},
}

// AsFlags names the flags of the command in a text of the libraries, in place of their fields: --region.
func AsFlags(text string) string {
	return renamed(text, func(setting string) string { return "--" + setting })
}

// AsKeys names the keys of options in a text of the libraries, in place of their fields: region=.
func AsKeys(text string) string {
	return renamed(text, func(setting string) string { return key(setting) + "=" })
}

// AllAs applies AsFlags or AsKeys to texts, and returns the result.
func AllAs(texts []string, as func(string) string) []string {
	named := make([]string, len(texts))
	for i, text := range texts {
		named[i] = as(text)
	}
	return named
}

func renamed(text string, name func(setting string) string) string {
	if !strings.Contains(text, ".Options.") {
		return text
	}
	for _, f := range fieldNames {
		text = strings.ReplaceAll(text, f.field, name(f.setting))
	}
	return text
}
