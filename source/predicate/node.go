package predicate

import "github.com/expr-lang/expr/ast"

// path returns the names that lead to a column: a word, $env['a name'], or one of these followed by members.
func path(node ast.Node) ([]string, bool) {
	switch n := node.(type) {
	case *ast.IdentifierNode:
		return []string{n.Value}, n.Value != "$env"
	case *ast.ChainNode:
		return path(n.Node)
	case *ast.MemberNode:
		property, ok := n.Property.(*ast.StringNode)
		if !ok || n.Method {
			return nil, false
		}
		if id, ok := n.Node.(*ast.IdentifierNode); ok && id.Value == "$env" {
			return []string{property.Value}, true
		}
		names, ok := path(n.Node)
		return append(names, property.Value), ok
	}
	return nil, false
}

// comparedWithNil returns the names of the column that is compared with nil by == or !=.
func comparedWithNil(n *ast.BinaryNode) (names []string, ok bool) {
	if n.Operator != "==" && n.Operator != "!=" {
		return nil, false
	}
	if _, ok := n.Right.(*ast.NilNode); ok {
		return path(n.Left)
	}
	if _, ok := n.Left.(*ast.NilNode); ok {
		return path(n.Right)
	}
	return nil, false
}

// children returns the nodes within a node, except the names of functions.
func children(node ast.Node) []*ast.Node {
	switch n := node.(type) {
	case *ast.UnaryNode:
		return []*ast.Node{&n.Node}
	case *ast.ChainNode:
		return []*ast.Node{&n.Node}
	case *ast.MemberNode:
		return []*ast.Node{&n.Node, &n.Property}
	case *ast.SliceNode:
		return given(&n.Node, &n.From, &n.To)
	case *ast.CallNode:
		if _, name := n.Callee.(*ast.IdentifierNode); name {
			return all(n.Arguments)
		}
		return append(all(n.Arguments), &n.Callee)
	case *ast.BuiltinNode:
		return all(n.Arguments)
	case *ast.PredicateNode:
		return []*ast.Node{&n.Node}
	case *ast.ConditionalNode:
		return []*ast.Node{&n.Cond, &n.Exp1, &n.Exp2}
	case *ast.SequenceNode:
		return all(n.Nodes)
	case *ast.ArrayNode:
		return all(n.Nodes)
	case *ast.MapNode:
		return all(n.Pairs)
	case *ast.PairNode:
		return []*ast.Node{&n.Key, &n.Value}
	}
	return nil
}

// all returns the places of nodes.
func all(nodes []ast.Node) []*ast.Node {
	places := make([]*ast.Node, len(nodes))
	for i := range nodes {
		places[i] = &nodes[i]
	}
	return places
}

// given returns the places that have a node.
func given(places ...*ast.Node) (there []*ast.Node) {
	for _, p := range places {
		if *p != nil {
			there = append(there, p)
		}
	}
	return there
}
