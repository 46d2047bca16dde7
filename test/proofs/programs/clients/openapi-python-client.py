# The client of openapi-python-client, with the steps and the output that all generated clients share.

import os
import re
import uuid

from animal_store_client import AuthenticatedClient
from animal_store_client.api.pets import create_pet, get_pet, list_pets
from animal_store_client.models import NewPet, PetStatus
from animal_store_client.types import UNSET


def client(token):
    return AuthenticatedClient(base_url=os.environ["ANIMAL_STORE_URL"], token=token)


api = client(os.environ["ANIMAL_STORE_KEY"])
print("list", len(list_pets.sync(client=api)))
print("filter", len(list_pets.sync(client=api, status=PetStatus.SOLD)))

count, cursor, more = 0, UNSET, True
while more:
    page = list_pets.sync_detailed(client=api, limit=2, cursor=cursor)
    count += len(page.parsed)
    more = re.search(r'[?&]cursor=([^>&]+)[^>]*>; rel="next"', page.headers["Link"])
    cursor = more and more[1]
print("page", count)

rex = NewPet(name="Rex", category_id=9007199254740993, status=PetStatus.AVAILABLE)
created = create_pet.sync(client=api, body=rex, idempotency_key=str(uuid.uuid4()))
print("create", created.category_id)
print("get", get_pet.sync(created.id, client=api).category_id)

for error in [
    list_pets.sync(client=api, cursor="garbage"),
    list_pets.sync(client=client("unknown")),
    get_pet.sync(999, client=api),
]:
    print(error.status, error.code)
