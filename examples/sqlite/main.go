// Sqlite fits a model to the rows of an SQL query: NULL is a gap, words are categories, and an id is left out. It then predicts the
// rows that have no price yet, and writes the prices back. The driver is pure Go, and a separate module.
//
//	go run -C examples/sqlite .
package main

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"math/rand/v2"

	_ "modernc.org/sqlite"

	"github.com/kernelearn/kernelearn/adapters/table"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	db, err := sql.Open("sqlite", "file::memory:?cache=shared")
	if err != nil {
		return err
	}
	defer db.Close()
	if err := fill(ctx, db, 300); err != nil {
		return err
	}
	model, err := train(ctx, db)
	if err != nil {
		return err
	}
	fmt.Println(model.Schema())
	return complete(ctx, db, model)
}

// train fits a model to the houses that were sold.
func train(ctx context.Context, db *sql.DB) (*table.Model, error) {
	rows, err := db.QueryContext(ctx, "SELECT id, area, district, built, price FROM houses WHERE price IS NOT NULL ORDER BY id")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	t, err := table.FromRows(rows, &table.Options{Target: "price"})
	if err != nil {
		return nil, err
	}
	model := &table.Model{}
	return model, model.Fit(ctx, t)
}

// complete writes predicted prices into the rows without one.
func complete(ctx context.Context, db *sql.DB, model *table.Model) error {
	rows, err := db.QueryContext(ctx, "SELECT id, area, district, built FROM houses WHERE price IS NULL ORDER BY id")
	if err != nil {
		return err
	}
	t, err := table.FromRows(rows, &table.Options{Schema: model.Schema()})
	if closed := rows.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	p, err := model.PredictInterval(t, 0.9)
	if err != nil {
		return err
	}
	ids, err := db.QueryContext(ctx, "SELECT id FROM houses WHERE price IS NULL ORDER BY id")
	if err != nil {
		return err
	}
	var unsold []int
	for ids.Next() {
		var id int
		if err := ids.Scan(&id); err != nil {
			return err
		}
		unsold = append(unsold, id)
	}
	if err := ids.Close(); err != nil {
		return err
	}
	for i, id := range unsold {
		fmt.Printf("house %d: %.0f, 90%% between %.0f and %.0f\n", id, p.Numbers[i], p.Low[i], p.High[i])
		if _, err := db.ExecContext(ctx, "UPDATE houses SET price = ? WHERE id = ?", p.Numbers[i], id); err != nil {
			return err
		}
	}
	return ids.Err()
}

// fill inserts n houses and three that are not sold. The price is 3000 per unit of area, and 20000 more in the centre, with a noise
// of 5000.
func fill(ctx context.Context, db *sql.DB, n int) error {
	const create = "CREATE TABLE houses (id INTEGER PRIMARY KEY, area REAL, district TEXT, built INTEGER, price REAL)"
	if _, err := db.ExecContext(ctx, create); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 1))
	for i := range n + 3 {
		area, district := 40+60*random.Float64(), []string{"north", "centre", "harbour"}[random.IntN(3)]
		var built, price any = 1900 + random.IntN(120), 3000*area + 5000*random.NormFloat64()
		if district == "centre" {
			price = price.(float64) + 20000
		}
		if i%10 == 3 {
			built = nil
		}
		if i >= n {
			price = nil
		}
		if _, err := db.ExecContext(ctx, "INSERT INTO houses VALUES (?, ?, ?, ?, ?)", 1000+i, area, district, built, price); err != nil {
			return err
		}
	}
	return nil
}
