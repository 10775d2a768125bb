package table

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
)

type place struct {
	City string
	Zip  string `table:"postcode"`
}

type Base struct {
	Rooms uint8
}

type house struct {
	Base
	Place    *place
	Area     float32
	Built    time.Time
	Sold     *time.Time
	Garden   bool
	Owner    sql.NullString
	Price    *float64
	Age      time.Duration
	Tags     []string `table:"-"`
	hidden   int
	Floating any
}

func TestStructs(t *testing.T) {
	day := time.Date(1970, 1, 2, 1, 0, 0, 0, time.FixedZone("", 3600))
	one := 1.5
	rows := []house{
		{Base{3}, &place{"Rome", "00184"}, .1, day, &day, true, sql.NullString{String: "eve", Valid: true}, &one, time.Minute, nil, 0, 7},
		{Base{2}, nil, float32(math.NaN()), time.Time{}, nil, false, sql.NullString{}, &one, 0, nil, 0, nil},
		{Base{1}, &place{"Oslo", "10"}, 2, day, nil, false, sql.NullString{String: "NA", Valid: true}, &one, 0, nil, 0, int64(1 << 40)},
	}
	got, err := FromStructs(rows, &Options{Target: "Price"})
	require.NoError(t, err)
	assert.Equal(t, []string{"Rooms", "Place.City", "Place.postcode", "Area", "Built", "Sold", "Garden", "Owner", "Age", "Floating"}, got.Schema.Names())
	assert.Equal(t, []int{1, 2, 6, 7}, got.Schema.Categories())
	assertCells(t, [][]float64{
		{3, 1, 1, .1, 86400, 86400, 1, 0, 60, 7},
		{2, gap, gap, gap, gap, gap, 0, gap, 0, gap},
		{1, 0, 0, 2, 86400, gap, 0, gap, 0, 1 << 40},
	}, got.X)
	assert.Equal(t, []float64{1.5, 1.5, 1.5}, got.Targets)
	assert.Equal(t, []string{"10", "00184"}, got.Schema.Columns[2].Levels, "in the order of their numbers")

	same, err := got.Schema.Rows(rows[0], &rows[1])
	require.NoError(t, err)
	assertCells(t, [][]float64{got.X.RawRowView(0), got.X.RawRowView(1)}, same.X)
	pointers, err := FromStructs([]*house{&rows[0]}, &Options{Schema: got.Schema})
	require.NoError(t, err)
	assertCells(t, [][]float64{got.X.RawRowView(0)}, pointers.X)
	csv := parsed(t, &Options{Schema: got.Schema}, "Rooms,Place.City,Place.postcode,Area,Built,Sold,Garden,Owner,Age,Floating",
		"3,Rome,00184,0.1,1970-01-02,1970-01-02,true,eve,60,7")
	assertCells(t, [][]float64{got.X.RawRowView(0)}, csv.X)
}

type node struct {
	A    int
	Next *node
}

func TestRefusedStructs(t *testing.T) {
	refused := func(want string, err error) {
		t.Helper()
		require.ErrorIs(t, err, estimators.ErrParam)
		assert.ErrorContains(t, err, want)
	}
	_, err := FromStructs([]int{1}, nil)
	refused("T = int, want a struct", err)
	_, err = FromStructs([]node{{}}, nil)
	refused("recursive struct", err)
	_, err = FromStructs([]struct{ A []int }{{}}, nil)
	refused("field A = []int", err)
	_, err = FromStructs([]struct {
		A int
		B int `table:"A"`
	}{{}}, nil)
	refused(`"A" twice`, err)
	_, err = FromStructs([]struct{ A any }{{1}, {map[string]int{}}}, nil)
	refused(`table: FromStructs:2: column "A" = a map[string]int`, err)
	_, err = FromStructs([]struct{ A int64 }{{1}, {1<<53 + 1}}, nil)
	refused("FromStructs:2", err)
	_, err = FromStructs([]*house{nil}, nil)
	refused("FromStructs:1: row = nil", err)
	_, err = FromStructs([]house{}, nil)
	require.ErrorIs(t, err, estimators.ErrShape)
	_, err = FromStructs([]struct{ A float64 }{{math.Inf(1)}}, nil)
	require.ErrorIs(t, err, estimators.ErrNotFinite)
	_, err = (&Schema{Columns: []Column{{Name: "a", Kind: Number}}}).Rows()
	require.ErrorIs(t, err, estimators.ErrShape)
}

// Texts are read as numbers if Kinds sets their column to Number.
func TestNumbersInTexts(t *testing.T) {
	got, err := FromStructs([]struct{ A, B string }{{"1.5", "2"}, {"", "3"}}, &Options{Kinds: map[string]Kind{"A": Number}})
	require.NoError(t, err)
	assertCells(t, [][]float64{{1.5, 0}, {gap, 1}}, got.X)
}

// A bool is 0 or 1 in a column of numbers, and a level in any other.
func TestBools(t *testing.T) {
	s := parsed(t, nil, "a,b,c", "0,true,False", "1,false,True", "2,true,True").Schema
	got, err := s.Rows(map[string]any{"a": true, "b": true, "c": true}, map[string]any{"a": false, "b": false, "c": false})
	require.NoError(t, err)
	assertCells(t, [][]float64{{1, 1, 1}, {0, 0, 0}}, got.X)
}

// tiny is a driver of database/sql with a single query and fixed rows.
type tiny struct {
	names []string
	rows  [][]driver.Value
	end   error
}

func (d *tiny) Open(string) (driver.Conn, error)             { return d, nil }
func (d *tiny) Connect(context.Context) (driver.Conn, error) { return d, nil }
func (d *tiny) Driver() driver.Driver                        { return d }
func (d *tiny) Prepare(string) (driver.Stmt, error)          { return d, nil }
func (d *tiny) Begin() (driver.Tx, error)                    { return nil, errors.ErrUnsupported }
func (d *tiny) NumInput() int                                { return 0 }
func (d *tiny) Exec([]driver.Value) (driver.Result, error)   { return nil, errors.ErrUnsupported }
func (d *tiny) Query([]driver.Value) (driver.Rows, error)    { return &tinyRows{of: d}, nil }
func (d *tiny) Close() error                                 { return nil }

type tinyRows struct {
	of *tiny
	at int
}

func (r *tinyRows) Columns() []string { return r.of.names }
func (r *tinyRows) Close() error      { return nil }
func (r *tinyRows) Next(into []driver.Value) error {
	if r.at == len(r.of.rows) {
		if r.of.end != nil {
			return r.of.end
		}
		return io.EOF
	}
	copy(into, r.of.rows[r.at])
	r.at++
	return nil
}

// queried returns the table of the rows of a driver.
func queried(t *testing.T, d *tiny, o *Options) (*Table, error) {
	t.Helper()
	db := sql.OpenDB(d)
	defer db.Close()
	rows, err := db.Query("SELECT")
	require.NoError(t, err)
	defer rows.Close()
	return FromRows(rows, o)
}

func TestRowsOfAQuery(t *testing.T) {
	d := &tiny{names: []string{"i", "f", "text", "number", "at", "ok", "y"}, rows: [][]driver.Value{
		{int64(1), 1.5, "red", []byte("12.5"), time.Unix(7, 5e8), true, "a"},
		{nil, nil, nil, nil, nil, nil, "b"},
		{int64(3), math.NaN(), []byte("blue"), "NULL", time.Unix(1e9, 0), false, "a"},
	}}
	got, err := queried(t, d, &Options{Target: "y"})
	require.NoError(t, err)
	assertCells(t, [][]float64{{1, 1.5, 1, 12.5, 7.5, 1}, {gap, gap, gap, gap, gap, gap}, {3, gap, 0, gap, 1e9, 0}}, got.X)
	assert.Equal(t, []int{0, 1, 0}, got.Labels)
	assert.Equal(t, []int{2, 5}, got.Schema.Categories())

	d.end = errors.New("connection lost")
	_, err = queried(t, d, nil)
	require.ErrorIs(t, err, d.end)
	assert.ErrorContains(t, err, "table: FromRows:4")
	_, err = queried(t, &tiny{names: []string{"a"}}, nil)
	require.ErrorIs(t, err, estimators.ErrShape)
	_, err = queried(t, &tiny{names: []string{"a", "a"}, rows: [][]driver.Value{{1, 2}}}, nil)
	require.ErrorContains(t, err, `"a" twice`)
	_, err = queried(t, &tiny{names: []string{"a"}, rows: [][]driver.Value{{int64(1)}, {"\xff"}}}, nil)
	require.ErrorContains(t, err, "FromRows:2")
	_, err = FromRows(nil, nil)
	require.ErrorIs(t, err, estimators.ErrParam)
}
