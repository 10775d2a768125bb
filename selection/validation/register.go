package validation

import "github.com/kernelearn/kernelearn/internal/registry"

// Model files contain the names of these types (see package modelfile).
func init() {
	registry.Add[KFold]("validation.KFold", registry.Type{})
	registry.Add[StratifiedKFold]("validation.StratifiedKFold", registry.Type{})
	registry.Add[ShuffleSplit]("validation.ShuffleSplit", registry.Type{})
	registry.Add[StratifiedShuffleSplit]("validation.StratifiedShuffleSplit", registry.Type{})
	registry.Add[GroupKFold]("validation.GroupKFold", registry.Type{})
	registry.Add[StratifiedGroupKFold]("validation.StratifiedGroupKFold", registry.Type{})
	registry.Add[TimeSeriesSplit]("validation.TimeSeriesSplit", registry.Type{})
}
