package server

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/modelfile"
	"github.com/kernelearn/kernelearn/estimators/ridge"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// houses returns a CSV file with a number and a class to predict.
func houses(scale float64) string {
	random := rand.New(rand.NewPCG(1, 1))
	text := "id,area,district,sold,price\n"
	for i := range 60 {
		area, district := 30+70*random.Float64(), []string{"north", "centre"}[i%2]
		text += fmt.Sprintf("%d,%.1f,%s,2024-%02d-01,%.1f\n", 1000+i, area, district, 1+i%12, scale*(10*area+100*float64(i%2)))
	}
	return text
}

// fitted returns a model that is fitted to houses.
func fitted(t testing.TB, target string, scale float64) *table.Model {
	t.Helper()
	rows, err := table.ParseCSV("houses", strings.NewReader(houses(scale)), &table.Options{Target: target})
	require.NoError(t, err)
	m := &table.Model{Regressor: &lssvm.Regressor{}, Classifier: &lssvm.Classifier{}}
	require.NoError(t, m.Fit(t.Context(), rows))
	return m
}

// saved writes a model to a file and returns its path and checksum.
func saved(t testing.TB, path string, m *table.Model) string {
	t.Helper()
	require.NoError(t, m.Save(path))
	info, err := modelfile.DescribeFile(path)
	require.NoError(t, err)
	return info.Checksum
}

// newServer returns a server for a model of prices, with the model and the path of its file.
func newServer(t testing.TB, s Settings) (*Server, *table.Model, string) {
	t.Helper()
	path, m := filepath.Join(t.TempDir(), "price.keln"), fitted(t, "price", 1)
	saved(t, path, m)
	out, err := New([]string{path}, s)
	require.NoError(t, err)
	return out, m, path
}

// start serves on a free local port. It returns a function that stops the server and returns Serve's error.
func start(t testing.TB, s *Server, grace time.Duration) (address string, stop func() error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, grace) }()
	return l.Addr().String(), func() error {
		cancel()
		return <-ended
	}
}

// post sends a POST request to a handler, and returns the response.
func post(h http.Handler, path, contentType, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// jsonAnswer is an answer in JSON.
type jsonAnswer struct {
	Model       string
	Checksum    string
	Level       float64
	Unseen      map[string]int `json:"unseen_levels"`
	Predictions []struct {
		Prediction    any
		Low, High     *float64
		Probabilities map[string]float64
	}
	Error  string
	Row    int
	Column string
}

func decoded(t testing.TB, w *httptest.ResponseRecorder) (a jsonAnswer) {
	t.Helper()
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &a), w.Body.String())
	return a
}

const house = `{"area": 50, "district": "centre", "sold": "2024-05-01"}`

func TestPredict(t *testing.T) {
	s, m, path := newServer(t, Settings{})
	info, err := modelfile.DescribeFile(path)
	require.NoError(t, err)
	values := []any{
		map[string]any{"area": 50, "district": "centre", "sold": "2024-05-01"},
		map[string]any{"area": 81.5, "district": "moon", "sold": nil},
	}
	rows, err := m.Schema().Rows(values...)
	require.NoError(t, err)
	want, err := m.PredictInterval(rows, 0.9)
	require.NoError(t, err)
	both := house + `, {"sold": null, "district": "moon", "area": 81.5}`
	for _, body := range []string{"[" + both + "]", `{"rows": [` + both + "]}"} {
		w := post(s, "/predict?level=0.9", "application/json", body)
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		got := decoded(t, w)
		assert.Equal(t, "price", got.Model)
		assert.Equal(t, info.Checksum, got.Checksum)
		assert.Equal(t, info.Checksum, w.Header().Get("Model-Checksum"))
		assert.Equal(t, 0.9, got.Level)
		assert.Equal(t, map[string]int{"district": 1}, got.Unseen)
		require.Len(t, got.Predictions, 2)
		for i, p := range got.Predictions {
			assert.Equal(t, want.Numbers[i], p.Prediction)
			assert.Equal(t, want.Low[i], *p.Low)
			assert.Equal(t, want.High[i], *p.High)
		}
	}

	one, err := m.PredictRow(values[0])
	require.NoError(t, err)
	for _, contentType := range []string{"application/json; charset=utf-8", "application/x-www-form-urlencoded"} {
		got := decoded(t, post(s, "/models/price/predict", contentType, house))
		require.Len(t, got.Predictions, 1)
		assert.Equal(t, one.Number, got.Predictions[0].Prediction)
		assert.Equal(t, one.Low, *got.Predictions[0].Low)
		assert.Equal(t, 0.95, got.Level)
	}
	got := decoded(t, post(s, "/predict?level=0", "application/json", house))
	assert.Equal(t, one.Number, got.Predictions[0].Prediction)
	assert.Nil(t, got.Predictions[0].Low)

	text := "district,area,sold,id\ncentre,50,2024-05-01,7\n"
	w := post(s, "/predict", "text/csv", text)
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	assert.Equal(t, fmt.Sprintf("district,area,sold,id,prediction,prediction_low,prediction_high\ncentre,50,2024-05-01,7,%v,%v,%v\n",
		one.Number, one.Low, one.High), w.Body.String())
	got = decoded(t, post(s, "/predict", "text/csv", text, "Accept", "text/html, application/json;q=0.9"))
	assert.Equal(t, one.Number, got.Predictions[0].Prediction)
	w = post(s, "/predict", "application/json", house, "Accept", "text/csv")
	assert.True(t, strings.HasPrefix(w.Body.String(), "id,area,district,sold,price,prediction,"), w.Body)
}

// If the rows of a request are predicted in blocks, the answer contains all of them in order.
func TestPredictManyRows(t *testing.T) {
	dir := t.TempDir()
	path, m := filepath.Join(dir, "district.keln"), fitted(t, "district", 1)
	saved(t, path, m)
	s, err := New([]string{path}, Settings{})
	require.NoError(t, err)
	var text strings.Builder
	text.WriteString("area,price,sold\n")
	for i := range 2*rowsAtATime + 3 {
		area := 30 + float64(i%70)
		fmt.Fprintf(&text, "%v,%v,2024-03-01\n", area, 10*area+100*float64(i%2))
	}
	rows, err := table.ParseCSV("rows", strings.NewReader(text.String()), &table.Options{Schema: m.Schema()})
	require.NoError(t, err)
	want, err := m.Predict(rows)
	require.NoError(t, err)
	got := decoded(t, post(s, "/predict", "text/csv", text.String(), "Accept", "application/json"))
	require.Len(t, got.Predictions, rows.Rows(), got.Error)
	for i, p := range got.Predictions {
		assert.Equal(t, want.Classes[i], p.Prediction)
		assert.Nil(t, p.Low)
		for k, class := range want.ClassNames {
			assert.InDelta(t, want.Proba.At(i, k), p.Probabilities[class], 1e-12)
		}
	}
	assert.Zero(t, got.Level)
	w := post(s, "/predict?level=0.9", "text/csv", text.String())
	assert.Equal(t, http.StatusBadRequest, w.Code)
	assert.Contains(t, w.Body.String(), "no intervals")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = predictRows(ctx, m, rows, -1)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestErrors(t *testing.T) {
	s, _, _ := newServer(t, Settings{MaxBytes: 4000, MaxRows: 20})
	wide := strings.Repeat("a,", 150)
	for _, c := range []struct {
		name, path, contentType, body string
		status                        int
		text                          string
		row                           int
		column                        string
	}{
		{"broken JSON", "/predict", "application/json", `{"area": 50,`, 400, "JSON: after 12 bytes", 0, ""},
		{"more than JSON", "/predict", "application/json", house + house, 400, "JSON: after", 0, ""},
		{"no body", "/predict", "application/json", " ", 400, "the body is empty", 0, ""},
		{"a number", "/predict", "application/json", `3`, 400, "want an object", 0, ""},
		{"an array of numbers", "/predict", "application/json", `[` + house + `, 3]`, 400, "row 2: want an object", 2, ""},
		{"no rows", "/predict", "application/json", `[]`, 422, "0 rows", 0, ""},
		{"not UTF-8", "/predict", "application/json", "{\"district\": \"\xff\"}", 400, "not UTF-8", 0, ""},
		{"a column twice", "/predict", "application/json", `{"area": 1, "area": 2}`, 400, "there twice", 1, "area"},
		{"an unknown column", "/predict", "application/json", `[` + house + `, {"rooms": 3}]`, 422, "not known", 2, "rooms"},
		{"a missing column", "/predict", "application/json", `[` + house + `, {"area": 3, "sold": null}]`, 422, "missing", 2, "district"},
		{"a word", "/predict", "application/json", `{"area": "big", "district": "north", "sold": null}`, 422, "want a number", 1, "area"},
		{"an object for a cell", "/predict", "application/json", `{"area": {"m2": 3}}`, 422, "want a number, a string", 1, "area"},
		{"a number of many digits", "/predict", "application/json", `{"area": 1e999}`, 422, "range of float64", 1, "area"},
		{"an integer of many digits", "/predict", "application/json",
			`{"area": 9007199254740993, "district": "north", "sold": null}`, 422, "float64 represents", 0, "area"},
		{"rows beside others", "/predict", "application/json", `{"rows": [` + house + `], "area": 1}`, 400, "nothing beside rows", 0, ""},
		{"rows and rows", "/predict", "application/json", `{"rows": 3}`, 422, "not known", 1, "rows"},
		{"many rows", "/predict", "application/json", "[" + strings.Repeat(house+",", 20) + house + "]", 413, "more than 20 rows", 0, ""},
		{"many bytes", "/predict", "application/json", strings.Repeat(" ", 4001), 413, "more than 4000 bytes", 0, ""},
		{"CSV without a column", "/predict", "text/csv", "area,sold\n1,\n", 422, "missing", 0, "district"},
		{"CSV with an unknown column", "/predict", "text/csv", "area,sold,district,rooms\n1,,north,3\n", 422, "not known", 0, "rooms"},
		{"CSV with a word", "/predict", "text/csv", "area,sold,district\n1,,north\nbig,,north\n", 422, "want a number", 2, "area"},
		{"CSV with a short line", "/predict", "text/csv", "area,sold,district\n1,,north\n1,2\n", 422, "2 cells", 0, ""},
		{"CSV with a quote", "/predict", "text/csv", "area,sold,district\n1,,a\"b\n", 400, "body:2", 0, ""},
		{"CSV without rows", "/predict", "text/csv", "area,sold,district\n", 422, "0 rows", 0, ""},
		{"CSV of many rows", "/predict", "text/csv", "area,sold,district\n" + strings.Repeat("1,,north\n", 21), 413, "more than 20 rows", 0, ""},
		{"CSV of many columns", "/predict", "text/csv", wide + "\n", 422, "cells", 0, ""},
		{"gzip", "/predict", "text/csv", "\x1f\x8b\x08", 415, "gzip", 0, ""},
		{"another type", "/predict", "text/plain", house, 415, "want application/json or text/csv", 0, ""},
		{"CSV of curl -d", "/predict", "application/x-www-form-urlencoded", "area,sold,district1,,north", 415, "text/csv", 0, ""},
		{"a level", "/predict?level=2", "application/json", house, 400, "level=2", 0, ""},
		{"a level that is not a number", "/predict?level=high", "application/json", house, 400, "level=high", 0, ""},
		{"another parameter", "/predict?lvl=0.9", "application/json", house, 400, `"lvl"`, 0, ""},
		{"another path", "/predictions", "application/json", house, 404, "/predictions", 0, ""},
		{"another model", "/models/rent/predict", "application/json", house, 404, "want one of /models/price", 0, ""},
		{"another method", "/schema", "application/json", house, 405, "accepts GET", 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := post(s, c.path, c.contentType, c.body)
			assert.Equal(t, c.status, w.Code, w.Body)
			assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
			got := decoded(t, w)
			assert.Contains(t, got.Error, c.text)
			assert.Equal(t, c.row, got.Row)
			assert.Equal(t, c.column, got.Column)
			assert.Nil(t, got.Predictions)
		})
	}
	w := post(s, "/predict", "application/json", `{"`+strings.Repeat("é", 1000)+`": 1}`)
	assert.Equal(t, http.StatusUnprocessableEntity, w.Code)
	assert.Equal(t, strings.Repeat("é", 250)+"...", decoded(t, w).Column)
	assert.Less(t, w.Body.Len(), 1200)
	r := httptest.NewRequest(http.MethodPost, "/predict", strings.NewReader(house))
	r.Header.Set("Content-Encoding", "gzip")
	w = httptest.NewRecorder()
	s.ServeHTTP(w, r)
	assert.Equal(t, http.StatusUnsupportedMediaType, w.Code)
	r = httptest.NewRequest(http.MethodGet, "/predict", nil)
	w = httptest.NewRecorder()
	s.ServeHTTP(w, r)
	assert.Equal(t, http.StatusMethodNotAllowed, w.Code)
	assert.Equal(t, http.MethodPost, w.Header().Get("Allow"))
}

func TestPages(t *testing.T) {
	dir := t.TempDir()
	price, district := filepath.Join(dir, "price.keln"), filepath.Join(dir, "district.keln")
	checksum := saved(t, price, fitted(t, "price", 1))
	saved(t, district, fitted(t, "district", 1))
	s, err := New([]string{price, district}, Settings{})
	require.NoError(t, err)
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w
	}
	assert.Contains(t, get("/").Body.String(), "POST /models/district/predict")
	var schema table.Schema
	require.NoError(t, json.Unmarshal(get("/models/price/schema").Body.Bytes(), &schema))
	assert.Equal(t, []string{"area", "district", "sold"}, schema.Names())
	assert.Contains(t, get("/healthz").Body.String(), `"checksum":"`+checksum+`"`)
	assert.Equal(t, http.StatusNotFound, get("/schema").Code)
	assert.Equal(t, http.StatusOK, post(s, "/models/price/predict", "application/json", "["+house+","+house+"]").Code)
	assert.Equal(t, http.StatusOK, post(s, "/models/price/predict", "application/json", house).Code)
	assert.Equal(t, http.StatusBadRequest, post(s, "/models/price/predict", "application/json", "{").Code)
	metrics := get("/metrics").Body.String()
	for _, line := range []string{
		`kernelearn_requests_total{path="/models/{name}/predict",code="200"} 2`,
		`kernelearn_requests_total{path="/models/{name}/predict",code="400"} 1`,
		`kernelearn_requests_total{path="/schema",code="404"} 1`,
		`kernelearn_request_seconds_count 7`,
		`kernelearn_request_seconds_bucket{le="+Inf"} 7`,
		`kernelearn_open_requests 0`,
		`kernelearn_rows_predicted_total{model="price"} 3`,
		`kernelearn_rows_predicted_total{model="district"} 0`,
		`kernelearn_model_loads_total{model="price",result="ok"} 1`,
	} {
		assert.Contains(t, metrics, line+"\n")
	}
	assert.Equal(t, `"a\\b\"c\nd"`, label("a\\b\"c\nd"))
}

func TestNew(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "price.keln"), filepath.Join(dir, "price.model")
	saved(t, path, fitted(t, "price", 1))
	saved(t, other, fitted(t, "price", 1))
	_, err := New(nil, Settings{})
	assert.ErrorContains(t, err, "no model files")
	_, err = New([]string{path, other}, Settings{})
	assert.ErrorContains(t, err, "same name")
	_, err = New([]string{filepath.Join(dir, "none.keln")}, Settings{})
	assert.ErrorIs(t, err, os.ErrNotExist)
	bare := filepath.Join(dir, "bare.keln")
	m := &ridge.Regressor{}
	rows, err := table.ParseCSV("houses", strings.NewReader(houses(1)), &table.Options{Target: "price", Drop: []string{"district"}})
	require.NoError(t, err)
	require.NoError(t, m.Fit(t.Context(), rows.X, rows.Targets))
	require.NoError(t, modelfile.Save(bare, m))
	_, err = New([]string{bare}, Settings{})
	assert.ErrorContains(t, err, "kernelearn train")
}

// If a file is replaced, the new model is served. If a file is broken or missing, the previous model is still served.
func TestReload(t *testing.T) {
	s, first, path := newServer(t, Settings{})
	predicted := func() float64 {
		return decoded(t, post(s, "/predict", "application/json", house)).Predictions[0].Prediction.(float64)
	}
	state := func() (out struct {
		Status string
		Models []struct{ Checksum, Error string }
	}) {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/healthz", nil))
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &out))
		return out
	}
	row := map[string]any{"area": 50, "district": "centre", "sold": "2024-05-01"}
	one, err := first.PredictRow(row)
	require.NoError(t, err)
	assert.Equal(t, one.Number, predicted())

	second := fitted(t, "price", 3)
	checksum := saved(t, path, second)
	s.Reload()
	two, err := second.PredictRow(row)
	require.NoError(t, err)
	assert.NotEqual(t, one.Number, two.Number)
	assert.Equal(t, two.Number, predicted())
	assert.Equal(t, checksum, state().Models[0].Checksum)
	assert.Equal(t, "ok", state().Status)

	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, data[:len(data)/2], 0o600))
	s.Reload()
	s.Reload() // the unchanged file is not read again
	assert.Equal(t, two.Number, predicted())
	assert.Equal(t, checksum, state().Models[0].Checksum)
	assert.Equal(t, "old model", state().Status)
	assert.NotEmpty(t, state().Models[0].Error)
	require.NoError(t, os.Remove(path))
	s.Reload()
	assert.Equal(t, two.Number, predicted())
	assert.Contains(t, state().Models[0].Error, "no such file")

	saved(t, path, first)
	s.Reload()
	assert.Equal(t, one.Number, predicted())
	assert.Equal(t, "ok", state().Status)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	assert.Contains(t, w.Body.String(), `kernelearn_model_loads_total{model="price",result="ok"} 3`)
	assert.Contains(t, w.Body.String(), `kernelearn_model_loads_total{model="price",result="failed"} 2`)
}

// A panic becomes an error. The client does not receive its text, and the server continues.
func TestPanic(t *testing.T) {
	s, _, _ := newServer(t, Settings{})
	h := s.endpoint("/x", http.MethodPost, func(http.ResponseWriter, *http.Request) (*reply, error) { panic("a secret") })
	w := post(h, "/x", "application/json", house)
	assert.Equal(t, http.StatusInternalServerError, w.Code)
	assert.NotContains(t, w.Body.String(), "secret")
	assert.Equal(t, "internal error: see the log of the server", decoded(t, w).Error)
	assert.Equal(t, http.StatusOK, post(s, "/predict", "application/json", house).Code)
}

// zeros is a body of zeros that counts how many bytes were read.
type zeros struct{ left, read int64 }

func (z *zeros) Read(p []byte) (int, error) {
	if z.left == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), z.left)
	for i := range p[:n] {
		p[i] = '0'
	}
	z.left, z.read = z.left-n, z.read+n
	return int(n), nil
}

// A body of 1 GB uses no more memory than the limit, whether its length is declared or not.
func TestLargeBody(t *testing.T) {
	s, _, _ := newServer(t, Settings{})
	address, stop := start(t, s, time.Second)
	client := &http.Client{Transport: &http.Transport{}}
	for _, length := range []int64{-1, 1 << 30} {
		for _, contentType := range []string{"application/json", "text/csv"} {
			body := &zeros{left: 1 << 30}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/predict", io.NopCloser(body))
			require.NoError(t, err)
			r.ContentLength = length
			r.Header.Set("Content-Type", contentType)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			response, err := client.Do(r)
			require.NoError(t, err)
			text, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			runtime.ReadMemStats(&after)
			assert.Equal(t, http.StatusRequestEntityTooLarge, response.StatusCode)
			assert.Contains(t, string(text), "more than 16777216 bytes")
			most := uint64(8 * DefaultMaxBytes) // a limit for total allocations, which include the buffers that grow with the body
			if length > 0 {
				most = 2 << 20
			}
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, most)
		}
	}
	client.CloseIdleConnections()
	require.NoError(t, stop())
}

// The server closes the connections of clients that send slowly, in the headers and in the body.
func TestSlowClients(t *testing.T) {
	s, _, _ := newServer(t, Settings{Timeout: 200 * time.Millisecond})
	address, stop := start(t, s, time.Second)
	for _, c := range []struct{ sent, want string }{
		{"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", "HTTP/1.1 408 Request Timeout\r\n"},
		{"POST /predict HTTP/1.1\r\nHo", "HTTP/1.1 400 Bad Request\r\n"},
	} {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
		require.NoError(t, err)
		_, err = io.WriteString(conn, c.sent)
		require.NoError(t, err)
		got, err := io.ReadAll(conn) // returns when the server closes the connection
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(string(got), c.want), "%s", got)
		require.NoError(t, conn.Close())
	}
	require.NoError(t, stop())
}

// request sends the headers and a part of the body. It returns a function that sends the rest and reads the answer.
func request(t *testing.T, address string) (finish func() (*http.Response, error), close func() error) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	require.NoError(t, err)
	_, err = fmt.Fprintf(conn, "POST /predict HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(house), house[:5])
	require.NoError(t, err)
	return func() (*http.Response, error) {
		if _, err := io.WriteString(conn, house[5:]); err != nil {
			return nil, err
		}
		return http.ReadResponse(bufio.NewReader(conn), nil)
	}, conn.Close
}

// Prediction requests beyond the limit are answered with status 503. The other pages still answer.
func TestBusy(t *testing.T) {
	s, _, _ := newServer(t, Settings{MaxRequests: 1})
	address, stop := start(t, s, 5*time.Second)
	finish, hangUp := request(t, address)
	require.Eventually(t, func() bool { return len(s.admitted) == 1 }, 10*time.Second, time.Millisecond)
	w := post(s, "/predict", "application/json", house)
	assert.Equal(t, http.StatusServiceUnavailable, w.Code)
	assert.Equal(t, "1", w.Header().Get("Retry-After"))
	assert.Contains(t, decoded(t, w).Error, "1 requests are open")
	w = httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/healthz", nil))
	assert.Equal(t, http.StatusOK, w.Code)
	response, err := finish()
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, response.StatusCode)
	require.NoError(t, response.Body.Close())
	require.NoError(t, hangUp())
	require.Eventually(t, func() bool { return len(s.admitted) == 0 }, 10*time.Second, time.Millisecond)
	assert.Equal(t, http.StatusOK, post(s, "/predict", "application/json", house).Code)
	require.NoError(t, stop())
}

// The bodies of all requests share a limited amount of memory, which is released after each request.
func TestMemoryOfBodies(t *testing.T) {
	s, _, _ := newServer(t, Settings{MaxBytes: 1 << 20})
	assert.Equal(t, int64(16<<20), s.memory.Load())
	s.memory.Store(1000)
	long := strings.Repeat(" ", 2000) + house
	w := post(s, "/predict", "application/json", long)
	assert.Equal(t, http.StatusServiceUnavailable, w.Code)
	assert.Contains(t, decoded(t, w).Error, "memory")
	assert.Equal(t, http.StatusOK, post(s, "/predict", "application/json", house).Code)
	s.memory.Store(5000)
	assert.Equal(t, http.StatusOK, post(s, "/predict", "application/json", long).Code)
	assert.Equal(t, int64(5000), s.memory.Load())
}

// A request that is open when the server stops is finished, unless it takes longer than the grace period.
func TestStop(t *testing.T) {
	s, _, _ := newServer(t, Settings{})
	address, stop := start(t, s, 10*time.Second)
	finish, hangUp := request(t, address)
	require.Eventually(t, func() bool { return len(s.admitted) == 1 }, 10*time.Second, time.Millisecond)
	ended := make(chan error, 1)
	go func() { ended <- stop() }()
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil // no new connections
	}, 10*time.Second, time.Millisecond)
	response, err := finish()
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, response.StatusCode)
	require.NoError(t, response.Body.Close())
	require.NoError(t, <-ended)
	require.NoError(t, hangUp())

	address, stop = start(t, s, 50*time.Millisecond)
	_, hangUp = request(t, address)
	require.Eventually(t, func() bool { return len(s.admitted) == 1 }, 10*time.Second, time.Millisecond)
	assert.ErrorContains(t, stop(), "longer than 50ms")
	require.NoError(t, hangUp())
	require.Eventually(t, func() bool { return len(s.admitted) == 0 }, 10*time.Second, time.Millisecond)
}

// A request that takes longer than the timeout, or whose client has disconnected, ends before all rows are predicted.
func TestStatusOfContexts(t *testing.T) {
	s, _, _ := newServer(t, Settings{Timeout: time.Nanosecond})
	w := post(s, "/predict", "application/json", house)
	assert.Equal(t, http.StatusServiceUnavailable, w.Code)
	assert.Equal(t, "the predictions took too long: send fewer rows", decoded(t, w).Error)
	for err, want := range map[error]int{
		context.DeadlineExceeded: http.StatusServiceUnavailable,
		context.Canceled:         statusClientGone,
		os.ErrDeadlineExceeded:   http.StatusRequestTimeout,
		errors.New("something"):  http.StatusInternalServerError,
	} {
		assert.Equal(t, want, failureOf(fmt.Errorf("predict: %w", err)).status, err)
	}
}

// A prediction that JSON cannot represent is an internal error of the server.
func TestNoNumber(t *testing.T) {
	_, err := jsonReply(math.NaN())
	assert.Equal(t, http.StatusInternalServerError, failureOf(err).status)
}
