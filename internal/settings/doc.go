// Package settings is what people say of decoding and loading in words: the flags of the command, and the keys of the
// options that other languages give. It has their names, defaults and texts in one place, reads values, tells all problems of a call
// at once, and makes of them the specs and options of packages decode and loader, and a loader itself.
//
// A [Set] is read once a call, by whatever front end: flags, which the command makes of each [Setting], or JSON.
package settings
