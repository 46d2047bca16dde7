// The Go client of openapi-generator: what the generated clients of every language do here, in the same lines.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"regexp"
	"time"

	animals "github.com/GIT_USER_ID/GIT_REPO_ID"
)

var next = regexp.MustCompile(`[?&]cursor=([^>&]+)[^>]*>; rel="next"`)

func pets(token string) *animals.PetsAPIService {
	configuration := animals.NewConfiguration()
	configuration.Servers = animals.ServerConfigurations{{URL: os.Getenv("ANIMAL_STORE_URL")}}
	configuration.AddDefaultHeader("Authorization", "Bearer "+token)
	return animals.NewAPIClient(configuration).PetsAPI
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func refused(err error) {
	failure := animals.Error{}
	must(json.Unmarshal(err.(*animals.GenericOpenAPIError).Body(), &failure))
	fmt.Println(failure.Status, failure.Code)
}

func main() {
	background := context.Background()
	api := pets(os.Getenv("ANIMAL_STORE_KEY"))
	list, _, err := api.ListPets(background).Execute()
	must(err)
	fmt.Println("list", len(list))
	sold, _, err := api.ListPets(background).Status(animals.SOLD).Execute()
	must(err)
	fmt.Println("filter", len(sold))

	count := 0
	for request := api.ListPets(background).Limit(2); ; {
		page, reply, err := request.Execute()
		must(err)
		count += len(page)
		cursor := next.FindStringSubmatch(reply.Header.Get("Link"))
		if cursor == nil {
			break
		}
		request = request.Cursor(cursor[1])
	}
	fmt.Println("page", count)

	rex := animals.NewPetToAdd("Rex", 9007199254740993)
	rex.SetStatus(animals.AVAILABLE)
	key := fmt.Sprint(time.Now().UnixNano())
	created, _, err := api.CreatePet(background).PetToAdd(*rex).IdempotencyKey(key).Execute()
	must(err)
	fmt.Println("create", created.CategoryId)
	got, _, err := api.GetPet(background, created.Id).Execute()
	must(err)
	fmt.Println("get", got.CategoryId)

	_, _, err = api.ListPets(background).Cursor("garbage").Execute()
	refused(err)
	_, _, err = pets("unknown").ListPets(background).Execute()
	refused(err)
	_, _, err = api.GetPet(background, 999).Execute()
	refused(err)
}
