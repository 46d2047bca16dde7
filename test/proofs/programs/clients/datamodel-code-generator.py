# The models of datamodel-code-generator with httpx, with the steps and the output that all generated clients share.

import os
import uuid

import httpx
from models import Error, NewPet, Pet, Pets, PetStatus


def client(token):
    return httpx.Client(base_url=os.environ["ANIMAL_STORE_URL"], headers={"Authorization": f"Bearer {token}"})


def pets(reply):
    return Pets.model_validate_json(reply.text).root


api = client(os.environ["ANIMAL_STORE_KEY"])
print("list", len(pets(api.get("/pets"))))
print("filter", len(pets(api.get("/pets", params={"status": PetStatus.sold.value}))))

page = api.get("/pets", params={"limit": 2})
count = len(pets(page))
while "next" in page.links:
    page = api.get(page.links["next"]["url"])
    count += len(pets(page))
print("page", count)

rex = NewPet(name="Rex", categoryId=9007199254740993, status=PetStatus.available)
headers = {"Idempotency-Key": str(uuid.uuid4()), "Content-Type": "application/json"}
reply = api.post("/pets", content=rex.model_dump_json(exclude_none=True), headers=headers)
created = Pet.model_validate_json(reply.text)
print("create", created.categoryId)
print("get", Pet.model_validate_json(api.get(f"/pets/{created.id}").text).categoryId)

for reply in [
    api.get("/pets", params={"cursor": "garbage"}),
    client("unknown").get("/pets"),
    api.get("/pets/999"),
]:
    error = Error.model_validate_json(reply.text)
    print(error.status, error.code)
