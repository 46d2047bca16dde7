// Adds an animal safely, reads all animals, and acts on the code of an error.
// Needs only the standard library.

package main

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"time"
)

type NewPet struct {
	Name       string `json:"name"`
	CategoryID int64  `json:"categoryId"`
	Status     string `json:"status,omitempty"`
}

type Pet struct {
	ID int64 `json:"id"`
	NewPet
}

type APIError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Status  int    `json:"status"`
}

func (e *APIError) Error() string { return e.Message }

var (
	client = &http.Client{Timeout: 10 * time.Second}
	pets   = os.Getenv("ANIMAL_STORE_URL") + "/v1/pets"
	next   = regexp.MustCompile(`<([^>]*)>; rel="next"`)
)

// call sends a request up to six times, until the reply is final.
func call(method, url string, body []byte, idempotencyKey string, result any) (http.Header, error) {
	for attempt := 0; ; attempt++ {
		pause := 500 * time.Millisecond << attempt
		reply, text, err := send(method, url, body, idempotencyKey)
		if err == nil && reply.StatusCode != 429 && reply.StatusCode != 503 {
			return reply.Header, read(reply, text, result)
		}
		if attempt == 5 {
			if err == nil {
				err = read(reply, text, result)
			}
			return nil, err
		}
		if err == nil {
			if seconds, e := strconv.Atoi(reply.Header.Get("Retry-After")); e == nil {
				pause = time.Duration(seconds) * time.Second
			}
		}
		time.Sleep(pause)
	}
}

func send(method, url string, body []byte, idempotencyKey string) (*http.Response, []byte, error) {
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("ANIMAL_STORE_KEY"))
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Idempotency-Key", idempotencyKey)
	}
	reply, err := client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	return reply, text, err
}

func read(reply *http.Response, text []byte, result any) error {
	if reply.StatusCode < 400 {
		return json.Unmarshal(text, result)
	}
	failure := &APIError{}
	if err := json.Unmarshal(text, failure); err != nil {
		return fmt.Errorf("status %d without an error object: %w", reply.StatusCode, err)
	}
	return failure
}

func createPet(newPet NewPet) (pet Pet, err error) {
	body, err := json.Marshal(newPet)
	if err != nil {
		return pet, err
	}
	random := make([]byte, 16)
	if _, err = rand.Read(random); err != nil {
		return pet, err
	}
	_, err = call(http.MethodPost, pets, body, hex.EncodeToString(random), &pet)
	return pet, err
}

// listPets calls visit for every animal, by ascending id.
func listPets(visit func(Pet)) error {
	for url := pets + "?limit=100"; url != ""; {
		var page []Pet
		header, err := call(http.MethodGet, url, nil, "", &page)
		if err != nil {
			return err
		}
		for _, pet := range page {
			visit(pet)
		}
		url = ""
		if link := next.FindStringSubmatch(header.Get("Link")); link != nil {
			url = link[1]
		}
	}
	return nil
}

func main() {
	// Add safely.
	rex, err := createPet(NewPet{Name: "Rex", CategoryID: 9223372036854775807, Status: "available"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("added %d: %s in category %d\n", rex.ID, rex.Name, rex.CategoryID)

	// Read everything.
	count := 0
	if err := listPets(func(Pet) { count++ }); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("read %d animals\n", count)

	// Act on the code.
	_, err = createPet(NewPet{Name: "", CategoryID: 1})
	var failure *APIError
	if !errors.As(err, &failure) || failure.Code != "invalid_body" {
		log.Fatal(err)
	}
	fmt.Printf("refused with %s: %s\n", failure.Code, failure.Message)
}
