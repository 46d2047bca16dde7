# Adds an animal safely, reads all animals, and acts on the code of an error.
# Needs requests (pip install requests).

import os
import uuid

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

# POST is repeated too, because each create has an Idempotency-Key. Retry-After overrides the growing pause.
retry = Retry(
    total=5,
    backoff_factor=0.5,
    status_forcelist=[429, 503],
    allowed_methods=None,
    raise_on_status=False,
)
session = requests.Session()
session.mount("http://", HTTPAdapter(max_retries=retry))
session.mount("https://", HTTPAdapter(max_retries=retry))
session.headers["Authorization"] = "Bearer " + os.environ["ANIMAL_STORE_KEY"]
pets = os.environ["ANIMAL_STORE_URL"] + "/v1/pets"


class ApiError(Exception):
    def __init__(self, code, message, status):
        super().__init__(message)
        self.code = code
        self.status = status


def call(method, url, **options):
    reply = session.request(method, url, timeout=10, **options)
    if not reply.ok:
        raise ApiError(**reply.json())
    return reply


def create_pet(pet):
    return call("POST", pets, json=pet, headers={"Idempotency-Key": str(uuid.uuid4())}).json()


def list_pets(**query):
    reply = call("GET", pets, params={"limit": 100, **query})
    yield from reply.json()
    while "next" in reply.links:
        reply = call("GET", reply.links["next"]["url"])
        yield from reply.json()


# Add safely.
rex = create_pet({"name": "Rex", "categoryId": 9223372036854775807, "status": "available"})
print(f"added {rex['id']}: {rex['name']} in category {rex['categoryId']}")

# Read everything.
print(f"read {sum(1 for pet in list_pets())} animals")

# Act on the code.
try:
    create_pet({"name": "", "categoryId": 1})
except ApiError as error:
    if error.code != "invalid_body":
        raise
    print(f"refused with {error.code}: {error}")
