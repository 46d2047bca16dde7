// The whole HTTP suite once more, over PostgreSQL: the HTTP side never learns which store it has.

process.env["TEST_ENGINE"] = "postgres";

for (const suite of [
	"body",
	"credentials",
	"deprecation",
	"framing",
	"idempotency",
	"operations",
	"paging",
	"properties",
	"query",
	"routes",
]) {
	await import(`./${suite}.test.ts`);
}
