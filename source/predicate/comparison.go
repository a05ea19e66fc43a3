package predicate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"
)

// comparison is a condition that the expression language evaluates, with values for all of its columns.
type comparison struct {
	text    string // as it was written
	source  string // with the names that columns have in programs
	program *vm.Program
	columns []*column
	needed  []*column // those without which it is neither true nor false

	match    func(text []byte) bool // of one column of text with a constant; nil for others
	outcomes outcomes
}

func (c *comparison) of(r *row) (truth, error) {
	for _, x := range c.columns {
		if _, err := r.value(x); err != nil {
			return unknown, err
		}
	}
	for _, x := range c.needed {
		if r.values[x.name] == nil {
			return unknown, nil
		}
	}
	out, err := r.machine.Run(c.program, r.values)
	if err != nil {
		return unknown, problem("%s: %s", c.text, withoutPosition(err))
	}
	return truthOf(out.(bool)), nil // the program was compiled for this type, and checks it
}

// compile compiles the source, once the kinds of columns are known.
func (c *comparison) compile() (err error) {
	env := types.Map{}
	for _, x := range c.columns {
		env[x.name] = exprType(x.kind)
	}
	c.program, err = expr.Compile(c.source, expr.Env(env), expr.AsBool(), expr.DisableBuiltin("now"))
	if err == nil {
		return nil
	}
	text := withoutPosition(err)
	for _, x := range c.columns {
		text = strings.ReplaceAll(text, x.name, x.written)
	}
	if other, ok := strings.CutPrefix(text, "expected bool, but got "); ok {
		text = "must be true or false, but is " + other
	}
	var kinds []string
	for _, x := range c.columns {
		kinds = append(kinds, x.written+" is "+x.kind.String())
	}
	if len(kinds) > 0 {
		text += "; " + strings.Join(kinds, ", ")
	}
	return fmt.Errorf("%s: %s", c.text, text)
}

// withoutPosition returns the text of the library's error alone.
func withoutPosition(err error) string {
	if e, ok := errors.AsType[*file.Error](err); ok {
		return e.Message
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}
