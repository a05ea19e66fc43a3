// Package settings defines the settings of decoding and loading as text: the flags of the command, and the keys of the
// JSON options of other languages. It holds their names, defaults and help texts, parses values, and reports all
// problems of a call at once. It converts settings to the specs and options of packages decode and loader, and opens
// loaders.
//
// A [Set] is read once for each call by a front end: flags, which the command makes from each [Setting], or JSON.
package settings
