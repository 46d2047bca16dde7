// The client of oapi-codegen, with the steps and the output that all generated clients share.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"regexp"
	"time"

	"animals/animals"
)

var next = regexp.MustCompile(`[?&]cursor=([^>&]+)[^>]*>; rel="next"`)

func must[Value any](value Value, err error) Value {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func pets(token string) *animals.ClientWithResponses {
	withKey := animals.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+token)
		return nil
	})
	return must(animals.NewClientWithResponses(os.Getenv("ANIMAL_STORE_URL"), withKey))
}

func main() {
	background := context.Background()
	api := pets(os.Getenv("ANIMAL_STORE_KEY"))
	list := must(api.ListPetsWithResponse(background, &animals.ListPetsParams{}))
	fmt.Println("list", len(*list.JSON200))
	status := animals.Sold
	sold := must(api.ListPetsWithResponse(background, &animals.ListPetsParams{Status: &status}))
	fmt.Println("filter", len(*sold.JSON200))

	count, limit := 0, int32(2)
	for query := (&animals.ListPetsParams{Limit: &limit}); ; {
		page := must(api.ListPetsWithResponse(background, query))
		count += len(*page.JSON200)
		cursor := next.FindStringSubmatch(page.HTTPResponse.Header.Get("Link"))
		if cursor == nil {
			break
		}
		query.Cursor = &cursor[1]
	}
	fmt.Println("page", count)

	key := fmt.Sprint(time.Now().UnixNano())
	available := animals.Available
	rex := animals.NewPet{Name: "Rex", CategoryId: 9007199254740993, Status: &available}
	created := must(api.CreatePetWithResponse(background, &animals.CreatePetParams{IdempotencyKey: &key}, rex))
	fmt.Println("create", created.JSON201.CategoryId)
	got := must(api.GetPetWithResponse(background, created.JSON201.Id, &animals.GetPetParams{}))
	fmt.Println("get", got.JSON200.CategoryId)

	garbage := "garbage"
	invalid := must(api.ListPetsWithResponse(background, &animals.ListPetsParams{Cursor: &garbage})).JSON400
	fmt.Println(invalid.Status, invalid.Code)
	unknown := must(pets("unknown").ListPetsWithResponse(background, &animals.ListPetsParams{})).JSON401
	fmt.Println(unknown.Status, unknown.Code)
	missing := must(api.GetPetWithResponse(background, 999, &animals.GetPetParams{})).JSON404
	fmt.Println(missing.Status, missing.Code)
}
