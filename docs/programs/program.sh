# Adds an animal safely, reads all animals, and acts on the code of an error.
# Needs curl 7.71: without --fail, --retry-all-errors repeats a request after
# lost connections, time-outs, 408, 429 and most 5xx, but not after other errors.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One request: the body goes to a file, the headers to another, the status is printed.
call() {
	curl --silent --show-error --retry 5 --retry-all-errors --max-time 10 \
		--header "Authorization: Bearer $ANIMAL_STORE_KEY" --header "Content-Type: application/json" \
		--dump-header "$work/headers" --output "$work/body" --write-out "%{http_code}" "$@"
}

# Add safely.
create() {
	key=$(od -An -N16 -tx1 /dev/urandom | tr -d " \n")
	call "$ANIMAL_STORE_URL/v1/pets" --header "Idempotency-Key: $key" --data "$1"
}
status=$(create '{"name":"Rex","categoryId":9223372036854775807,"status":"available"}')
[ "$status" = 201 ] || { cat "$work/body" >&2; exit 1; }
echo "added $(cat "$work/body")"

# Read everything.
count=0
next="$ANIMAL_STORE_URL/v1/pets?limit=100"
while [ -n "$next" ]; do
	status=$(call "$next")
	[ "$status" = 200 ] || { cat "$work/body" >&2; exit 1; }
	count=$((count + $(grep -o '"id":' "$work/body" | wc -l)))
	next=$(sed -n 's/^[Ll]ink:.*<\([^>]*\)>; rel="next".*/\1/p' "$work/headers")
done
echo "read $count animals"

# Act on the code.
status=$(create '{"name":"","categoryId":1}')
code=$(sed 's/^{"code":"\([a-z_]*\)".*/\1/' "$work/body")
case $code in
	invalid_body) echo "refused with $status $code" ;;
	*) cat "$work/body" >&2; exit 1 ;;
esac
