package table

import (
	"github.com/kernelearn/kernelearn/internal/enum"
)

// Kind classifies the cells of a column.
type Kind int

// The kinds of columns. Columns of Text and ID are left out of the matrix, unless [Options.Kinds] makes them Category or Number.
const (
	Number   Kind = iota + 1
	Category      // codes from 0, which can only be compared for equality
	Time          // seconds since 1970, UTC
	Text          // words of a language; nearly all rows have different texts
	ID            // names of rows
	Duration      // seconds, which text files hold as numbers
)

var kindNames = []string{"", "number", "category", "time", "text", "id", "duration"}

// String returns the kind's name.
func (k Kind) String() string { return enum.Name("Kind", int(k), kindNames...) }

// MarshalText implements [encoding.TextMarshaler]. It returns ErrParam for an undefined kind.
func (k Kind) MarshalText() ([]byte, error) { return enum.Marshal("table", "Kind", int(k), kindNames) }

// UnmarshalText implements [encoding.TextUnmarshaler]. It returns ErrParam for a text that is not the name of a kind.
func (k *Kind) UnmarshalText(text []byte) error {
	return enum.Unmarshal("table", "Kind", k, text, kindNames)
}

// Role is the purpose of a column.
type Role int

// The roles of columns.
const (
	Feature Role = iota // a column of the matrix
	LeftOut
	Target // the column to predict
	Group  // rows with the same value belong together
	Weight
)

var roleNames = []string{"feature", "left out", "target", "group", "weight"}

// String returns the role's name.
func (r Role) String() string { return enum.Name("Role", int(r), roleNames...) }

// MarshalText implements [encoding.TextMarshaler]. It returns ErrParam for an undefined role.
func (r Role) MarshalText() ([]byte, error) { return enum.Marshal("table", "Role", int(r), roleNames) }

// UnmarshalText implements [encoding.TextUnmarshaler]. It returns ErrParam for a text that is not the name of a role.
func (r *Role) UnmarshalText(text []byte) error {
	return enum.Unmarshal("table", "Role", r, text, roleNames)
}

// Task states whether a model predicts numbers or classes.
type Task int

// The tasks of a target.
const (
	Auto           Task = iota // classes if the target is words or two whole numbers, otherwise numbers
	Regression                 // predicts numbers
	Classification             // predicts classes
)

var taskNames = []string{"auto", "regression", "classification"}

// String returns the task's name.
func (t Task) String() string { return enum.Name("Task", int(t), taskNames...) }

// MarshalText implements [encoding.TextMarshaler]. It returns ErrParam for an undefined task.
func (t Task) MarshalText() ([]byte, error) { return enum.Marshal("table", "Task", int(t), taskNames) }

// UnmarshalText implements [encoding.TextUnmarshaler]. It returns ErrParam for a text that is not the name of a task.
func (t *Task) UnmarshalText(text []byte) error {
	return enum.Unmarshal("table", "Task", t, text, taskNames)
}
