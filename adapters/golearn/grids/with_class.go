package grids

import (
	"fmt"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// WithClass returns a view of grid in which the attribute called name is the only class attribute, and previous classes are
// features. If name is "", there is no class attribute. The grid is not changed, and must not change while the view is used. It
// returns ErrParam for a nil grid, or unless exactly one attribute has the name.
func WithClass(grid base.FixedDataGrid, name string) (_ base.FixedDataGrid, err error) {
	if grid == nil {
		return nil, fault.Param("grids: WithClass", "grid", nil, "a grid")
	}
	defer gridtable.Guard("reading the grid", &err)
	all := grid.AllAttributes()
	var named []base.Attribute
	for _, a := range all {
		if a.GetName() == name && name != "" {
			named = append(named, a)
		}
	}
	if len(named) != 1 && name != "" {
		return nil, fault.Param("grids: WithClass", "name", fmt.Sprintf("%q, which %d attributes have", name, len(named)),
			"the name of one attribute")
	}
	view := base.NewInstancesViewFromAttrs(grid, all)
	for _, a := range view.AllClassAttributes() {
		if err := view.RemoveClassAttribute(a); err != nil {
			return nil, fmt.Errorf("grids: WithClass: %w", err)
		}
	}
	for _, a := range named {
		if err := view.AddClassAttribute(a); err != nil {
			return nil, fmt.Errorf("grids: WithClass: %w", err)
		}
	}
	return view, nil
}
