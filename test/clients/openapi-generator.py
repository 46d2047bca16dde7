# The Python client of openapi-generator: what the generated clients of every language do here, in the same lines.

import json
import os
import re
import uuid

import openapi_client
from openapi_client.rest import ApiException


def pets(token):
    host = os.environ["ANIMAL_STORE_URL"]
    configuration = openapi_client.Configuration(host=host, access_token=token)
    return openapi_client.PetsApi(openapi_client.ApiClient(configuration))


def refused(call):
    try:
        call()
    except ApiException as error:
        print(error.status, json.loads(error.body)["code"])


api = pets(os.environ["ANIMAL_STORE_KEY"])
print("list", len(api.list_pets()))
print("filter", len(api.list_pets(status=openapi_client.PetStatus.SOLD)))

count, cursor, more = 0, None, True
while more:
    page = api.list_pets_with_http_info(limit=2, cursor=cursor)
    count += len(page.data)
    more = re.search(r'[?&]cursor=([^>&]+)[^>]*>; rel="next"', page.headers["link"])
    cursor = more and more[1]
print("page", count)

rex = openapi_client.NewPet(name="Rex", category_id=9007199254740993, status=openapi_client.PetStatus.AVAILABLE)
created = api.create_pet(rex, idempotency_key=str(uuid.uuid4()))
print("create", created.category_id)
print("get", api.get_pet(created.id).category_id)

refused(lambda: api.list_pets(cursor="garbage"))
refused(lambda: pets("unknown").list_pets())
refused(lambda: api.get_pet(999))
