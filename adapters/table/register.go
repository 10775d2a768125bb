package table

import "github.com/kernelearn/kernelearn/internal/registry"

// Model files contain the name of this type (see package modelfile).
func init() {
	registry.Add[*Model]("table.Model", registry.Type{
		Names: func(v any) (columns, classes []string) {
			if s := v.(*Model).Schema(); s != nil {
				columns, classes = s.Names(), s.Classes()
			}
			return columns, classes
		},
		Parts: func(v any) []registry.Part {
			if e := v.(*Model).Fitted(); e != nil {
				return []registry.Part{{Name: "Fitted", Value: e}}
			}
			return nil
		},
	})
}
