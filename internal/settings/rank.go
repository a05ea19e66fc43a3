package settings

import (
	"os"

	"github.com/spoolmedia/spool/order"
)

// rank is which of several processes this is; -1: as the environment says.
type rank struct{ index, world int }

// rank defines its settings.
func (s *Set) rank(r *rank) {
	*r = rank{-1, -1}
	s.Number("rank", &r.index, "", 0, "which of --world processes this is; without both, RANK and WORLD_SIZE and the variables of Slurm and Open MPI say so")
	s.Number("world", &r.world, "", 1, "how many processes go through the samples together, each with a share")
}

// judge gives the rank, once both are read.
func (r rank) judge(s *Set) order.Rank {
	switch {
	case r.index < 0 && r.world < 0:
		found, err := order.RankFrom(os.LookupEnv)
		if err != nil {
			s.Refuse("%v", err)
		}
		return found
	case r.index < 0 || r.world < 0:
		s.Refuse("--rank and --world come together")
	case r.index >= r.world:
		s.Refuse("--rank %d of --world %d: ranks count from 0", r.index, r.world)
	default:
		return order.Rank{Index: r.index, World: r.world}
	}
	return order.Rank{}
}
