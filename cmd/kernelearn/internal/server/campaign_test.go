package server

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kernelearn/kernelearn/internal/testkit/campaign"
)

// Whatever the body, the answer has one of the documented statuses and never reports an internal error of the server.
func TestCampaignBodies(t *testing.T) {
	s, _, _ := newServer(t, Settings{MaxBytes: 4000, MaxRows: 20})
	bodies := []string{
		house, "[" + house + "," + house + "]", `{"rows": [` + house + `]}`,
		"area,district,sold\n50,north,2024-05-01\n,\"a\nb\",\n", "\ufeffid,area,district,sold,price\r\n1,2,3,2024-01-01,5\r\n",
	}
	pieces := []string{`"`, `{`, `}`, `[`, `]`, `,`, `:`, "\n", "\r", "\x00", "\xff", "1e999", "-", "null", "true", "NaN", `"area"`, `\ud800`, "9007199254740993"}
	campaign.Run(t, "bodies", 500, func(rng *rand.Rand) error {
		body := []byte(bodies[rng.IntN(len(bodies))])
		for range rng.IntN(5) {
			at := rng.IntN(len(body) + 1)
			switch rng.IntN(3) {
			case 0:
				body = slices.Insert(body, at, []byte(pieces[rng.IntN(len(pieces))])...)
			case 1:
				body = slices.Delete(body, at, min(len(body), at+1+rng.IntN(10)))
			default:
				body = slices.Insert(body, at, body[at:min(len(body), at+rng.IntN(40))]...)
			}
		}
		contentType := []string{"application/json", "text/csv", "application/x-www-form-urlencoded"}[rng.IntN(3)]
		w := post(s, "/predict", contentType, string(body), "Accept", []string{"text/csv", "application/json"}[rng.IntN(2)])
		known := []int{http.StatusOK, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity}
		if !slices.Contains(known, w.Code) || w.Code != http.StatusOK && !strings.Contains(w.Body.String(), `{"error":`) {
			return fmt.Errorf("%s %q: status %d: %s", contentType, body, w.Code, w.Body)
		}
		return nil
	})
}
