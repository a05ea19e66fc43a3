// Package claims checks README.md and SECURITY.md against docs/claims.md. Its tests fail when a sentence of these pages
// has no evidence there. They also fail when a test or file that is named as evidence does not exist.
package claims
