package rowmap

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/streaming"
)

// OtherStatistics returns the error for statistics of the wrong type or with other settings.
func OtherStatistics(typ string, have any, want fmt.Stringer) error {
	name := "nil"
	if !check.IsNil(have) {
		name = fmt.Sprintf("those of a %T", have)
		if s, ok := have.(fmt.Stringer); ok {
			name = "those of " + s.String()
		}
	}
	return fault.Param(typ, "statistics", name, "those of "+want.String())
}

// PartialFit implements PartialFit for the transformer t, which contains l.
func (l *State[M]) PartialFit(ctx context.Context, x mat.Matrix, t streaming.StatisticsFitter[streaming.None]) error {
	return FitMore(ctx, x, t, l.TypeName(), l.Fitted != nil, l.Sums)
}

// FitMore implements PartialFit for t, which has the given name. The argument fitted states whether t is fitted. The statistics of
// that fit are sums, or nil.
func FitMore(ctx context.Context, x mat.Matrix, t streaming.StatisticsFitter[streaming.None], name string, fitted bool,
	sums streaming.Statistics[streaming.None]) error {
	s, err := continueSums(t, name, fitted, sums)
	if err != nil {
		return err
	}
	rows, err := check.DenseGaps("x", x, check.Anywhere) // AddBlock checks the rows more closely
	if err != nil {
		return err
	}
	if err := s.AddBlock(ctx, streaming.Rows(rows)); err != nil {
		return err
	}
	return t.FitStatistics(ctx, s)
}

// continueSums returns statistics to which more rows can be added.
func continueSums(t streaming.StatisticsFitter[streaming.None], name string, fitted bool,
	sums streaming.Statistics[streaming.None]) (streaming.Statistics[streaming.None], error) {
	switch {
	case !fitted:
		return t.NewStatistics()
	case sums == nil:
		return nil, noStatistics(name)
	}
	return sums.Clone(), nil
}

// MarshalStatistics implements the method of the same name.
func (l *State[M]) MarshalStatistics() ([]byte, error) {
	if l.Fitted == nil {
		return nil, fault.NotFitted(l.TypeName())
	}
	return MarshalSums(l.TypeName(), l.Sums)
}

// UnmarshalStatistics implements the method of the same name for t, which contains l.
func (l *State[M]) UnmarshalStatistics(t streaming.StatisticsFitter[streaming.None], data []byte) error {
	if l.Fitted == nil {
		return fault.NotFitted(l.TypeName())
	}
	from, _ := l.Model().Widths()
	sums, err := ReadSums(l.TypeName(), t, from, data)
	if err != nil {
		return err
	}
	l.Sums = sums
	return nil
}

// MarshalSums encodes statistics to which more rows can be added.
func MarshalSums(name string, sums streaming.Statistics[streaming.None]) ([]byte, error) {
	if sums == nil {
		return nil, noStatistics(name)
	}
	return sums.MarshalBinary()
}

func noStatistics(name string) error {
	return fmt.Errorf("%s: a model of Fit, or from a file, has no statistics to continue from: begin with PartialFit or "+
		"FitStatistics: %w", name, fault.ErrNotFitted)
}

// ReadSums decodes statistics of rows with a given width for t, which has the given name.
func ReadSums(name string, t streaming.StatisticsFitter[streaming.None], width int,
	data []byte) (streaming.Statistics[streaming.None], error) {
	s, err := t.NewStatistics()
	if err != nil {
		return nil, err
	}
	if err := s.UnmarshalBinary(data); err != nil {
		return nil, err
	}
	if w, ok := s.(interface{ ColumnCount() int }); s.Rows() == 0 || ok && w.ColumnCount() != width {
		return nil, fault.BadModel(name, "statistics of %d rows that do not match its %d columns", s.Rows(), width)
	}
	return s, nil
}
