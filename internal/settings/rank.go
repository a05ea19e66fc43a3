package settings

import (
	"os"

	"github.com/spoolmedia/spool/order"
)

// rank is the position of this process among several; -1: from the environment.
type rank struct{ index, world int }

// rank defines the settings of r.
func (s *Set) rank(r *rank) {
	*r = rank{-1, -1}
	s.Number("rank", &r.index, "", 0,
		"which of --world processes this is; without both flags, from RANK and WORLD_SIZE, or the variables of Slurm and "+
			"Open MPI")
	s.Number("world", &r.world, "", 1, "number of processes that share the samples")
}

// judge returns the rank once both settings are read.
func (r rank) judge(s *Set) order.Rank {
	switch {
	case r.index < 0 && r.world < 0:
		found, err := order.RankFrom(os.LookupEnv)
		if err != nil {
			s.Refuse("%v", err)
		}
		return found
	case r.index < 0 || r.world < 0:
		s.Refuse("--rank and --world must be given together")
	case r.index >= r.world:
		s.Refuse("--rank=%d of --world=%d: ranks count from 0, so the last is %d", r.index, r.world, r.world-1)
	default:
		return order.Rank{Index: r.index, World: r.world}
	}
	return order.Rank{}
}
