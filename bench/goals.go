package bench

import (
	"encoding/json"
	"fmt"
	"os"
)

// Goals are the least ratios that duels should reach, by work, then by "OWN/OTHER".
type Goals map[string]map[string]float64

// ReadGoals reads a JSON file of goals.
func ReadGoals(path string) (Goals, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var g Goals
	if err := json.Unmarshal(text, &g); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return g, nil
}

// Of returns the least ratio that a duel should reach; 0 if it has no goal.
func (g Goals) Of(work string, d Duel) float64 { return g[work][d.Own+"/"+d.Other] }
