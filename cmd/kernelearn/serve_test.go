package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/adapters/table"
)

// The program answers with the predictions of the model, loads a new file, and exits with 0 after an interrupt.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	path, model := houses(t, dir, 60, 1), filepath.Join(dir, "price.keln")
	train := func(more ...string) *table.Model {
		code, _, progress := command(t, "", append([]string{"train", path, "-target", "price", "-o", model, "-q"}, more...)...)
		require.Zero(t, code, progress)
		m, err := table.Load(model)
		require.NoError(t, err)
		return m
	}
	first := train("-m", "lssvm")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	read, write := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"serve", model, "-addr", "127.0.0.1:0", "-poll", "10ms"}, nil, io.Discard, write)
		_ = write.Close()
	}()
	lines := bufio.NewScanner(read)
	require.True(t, lines.Scan())
	url := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(lines.Text())
	require.NotEmpty(t, url, lines.Text())
	logged := make(chan string, 1)
	go func() {
		var all strings.Builder
		for lines.Scan() {
			all.WriteString(lines.Text() + "\n")
		}
		logged <- all.String()
	}()

	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	ask := func() string {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/predict", strings.NewReader("area,district,sold\n50,north,2024-05-01\n"))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "text/csv")
		response, err := client.Do(r)
		require.NoError(t, err)
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return string(text)
	}
	expected := func(m *table.Model) string {
		p, err := m.PredictRow(map[string]any{"area": 50, "district": "north", "sold": "2024-05-01"})
		require.NoError(t, err)
		return fmt.Sprintf("area,district,sold,prediction,prediction_low,prediction_high\n50,north,2024-05-01,%v,%v,%v\n", p.Number, p.Low, p.High)
	}
	assert.Equal(t, expected(first), ask())
	second := train("-m", "ridge")
	assert.NotEqual(t, expected(first), expected(second))
	require.Eventually(t, func() bool { return ask() == expected(second) }, 20*time.Second, 20*time.Millisecond)
	cancel()
	assert.Zero(t, <-code)
	text := <-logged
	assert.Contains(t, text, "msg=request method=POST path=/predict status=200 rows=1 ")
	assert.Contains(t, text, `msg="model loaded" model=price`)
	assert.Contains(t, text, "msg=stopping")
}
