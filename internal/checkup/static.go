//go:build spool_static

package checkup

const isStatic = true // the libraries of tools/sdk are inside
