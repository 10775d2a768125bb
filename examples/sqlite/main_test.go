package main

import (
	"context"
	"database/sql"
	"math"
	"testing"

	"github.com/kernelearn/kernelearn/adapters/table"
)

// The predicted prices follow the rule, within the noise.
func TestPricesOfUnsoldHouses(t *testing.T) {
	ctx := context.Background()
	db, err := sql.Open("sqlite", "file:test?mode=memory&cache=shared")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := fill(ctx, db, 300); err != nil {
		t.Fatal(err)
	}
	model, err := train(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []table.Role{table.LeftOut, table.Feature, table.Feature, table.Feature, table.Target} {
		if got := model.Schema().Columns[i].Role; got != want {
			t.Errorf("column %d: %v, want %v", i, got, want)
		}
	}
	if err := complete(ctx, db, model); err != nil {
		t.Fatal(err)
	}
	rows, err := db.Query("SELECT area, district, price FROM houses WHERE id >= 1300")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	count := 0
	for rows.Next() {
		var area, price float64
		var district string
		if err := rows.Scan(&area, &district, &price); err != nil {
			t.Fatal(err)
		}
		want := 3000 * area
		if district == "centre" {
			want += 20000
		}
		if math.Abs(price-want) > 6000 {
			t.Errorf("area %.1f in the %s: %.0f, want %.0f within 6000", area, district, price, want)
		}
		count++
	}
	if count != 3 {
		t.Errorf("%d rows have a price now, want 3", count)
	}
}
