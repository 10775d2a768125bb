package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/internal/testkit/campaign"
)

// question is a request body, with the correct answer of each model.
type question struct {
	contentType, body string
	want              map[string]*table.Predictions // by the model's checksum
}

// questions returns rows in JSON and in CSV, with the predictions that the models compute directly.
func questions(t *testing.T, models map[string]*table.Model) (out []question) {
	for n := 1; n <= 16; n++ {
		header, lines, objects := "area,district,sold", "", []string{}
		for i := range n {
			area, district := 30+float64((17*n+5*i)%70), []string{"north", "centre", "moon"}[(n+i)%3]
			lines += fmt.Sprintf("%v,%s,2024-02-%02d\n", area, district, 1+i)
			objects = append(objects, fmt.Sprintf(`{"area": %v, "district": %q, "sold": "2024-02-%02d"}`, area, district, 1+i))
		}
		text := header + "\n" + lines
		want := map[string]*table.Predictions{}
		for checksum, m := range models {
			rows, err := table.ParseCSV("rows", strings.NewReader(text), &table.Options{Schema: m.Schema()})
			require.NoError(t, err)
			want[checksum], err = m.PredictInterval(rows, defaultLevel)
			require.NoError(t, err)
		}
		out = append(out, question{"text/csv", text, want}, question{"application/json", "[" + strings.Join(objects, ", ") + "]", want})
	}
	return out
}

// ask posts a question and compares the answer with that of the model whose checksum the answer contains.
func (q question) ask(client *http.Client, url string) error {
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(q.body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", q.contentType)
	r.Header.Set("Accept", "application/json")
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	var got jsonAnswer
	if err := json.Unmarshal(data, &got); err != nil {
		return fmt.Errorf("%w: %s", err, data)
	}
	want := q.want[got.Checksum]
	if response.StatusCode != http.StatusOK || want == nil || len(got.Predictions) != len(want.Numbers) {
		return fmt.Errorf("status %d: %s", response.StatusCode, data)
	}
	for i, p := range got.Predictions {
		if p.Prediction != want.Numbers[i] || *p.Low != want.Low[i] || *p.High != want.High[i] {
			return fmt.Errorf("row %d: %v, want %v", i+1, p, want.Numbers[i])
		}
	}
	return nil
}

// 200 clients always receive the correct answer of one of two models, while the file changes between the models and is sometimes
// broken. With KERNELEARN_CAMPAIGN=20s the test runs for that time.
func TestConcurrentClients(t *testing.T) {
	const clients = 200
	s, first, path := newServer(t, Settings{Poll: 10 * time.Millisecond})
	models := map[string]*table.Model{s.files[0].current.Load().checksum: first}
	second := fitted(t, "price", 3)
	models[saved(t, path, second)] = second
	require.Len(t, models, 2)
	asked := questions(t, models)
	address, stop := start(t, s, 10*time.Second)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	end := time.Now().Add(max(2*time.Second, campaign.Duration(t)))
	var group sync.WaitGroup
	var mu sync.Mutex
	var took []time.Duration
	served, failed := map[int]int{}, error(nil)
	for c := range clients {
		group.Go(func() {
			for k := c; time.Now().Before(end); k++ {
				begun := time.Now()
				err := asked[k%len(asked)].ask(client, "http://"+address+"/predict")
				mu.Lock()
				took = append(took, time.Since(begun))
				served[c]++
				if err != nil {
					failed = err
				}
				stopped := failed != nil
				mu.Unlock()
				if stopped {
					return
				}
			}
		})
	}
	for k := 0; time.Now().Before(end); k++ {
		m := []*table.Model{first, second}[k%2]
		require.NoError(t, m.Save(path))
		time.Sleep(50 * time.Millisecond)
		if k%4 == 3 {
			require.NoError(t, os.WriteFile(path, bytes.Repeat([]byte("broken"), k), 0o600))
			time.Sleep(50 * time.Millisecond)
		}
	}
	group.Wait()
	client.CloseIdleConnections()
	state := s.files[0].state()
	require.NoError(t, stop())
	require.NoError(t, failed)
	assert.Len(t, served, clients, "each client was answered")
	assert.Greater(t, state.loads, uint64(3))
	assert.Positive(t, state.misses)
	slices.Sort(took)
	at := func(share float64) time.Duration { return took[int(math.Ceil(share*float64(len(took))))-1] }
	t.Logf("%d requests of %d clients, %d loads of the file: median %v, p99 %v, slowest %v",
		len(took), clients, state.loads, at(0.5), at(0.99), took[len(took)-1])
}
