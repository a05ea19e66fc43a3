// Package claims holds README.md and SECURITY.md to docs/claims.md: its tests fail when a sentence of these pages
// has no evidence there, or when a test or file that stands as evidence does not exist.
package claims
