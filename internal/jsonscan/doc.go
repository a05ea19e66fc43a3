// Package jsonscan reads JSON (RFC 8259) from memory, value by value, for formats with many small values.
//
// A caller knows what it expects and asks for it: an object's members, an array's elements, a number. Nothing is
// allocated but what the caller keeps. Errors name the path of the value and its offset. Nesting is limited, so that no
// input exhausts the stack.
package jsonscan
