// Repeats the HTTP suite with PostgreSQL, because the HTTP code must not depend on the engine.

process.env["TEST_ENGINE"] = "postgres";

for (const suite of [
	"corpus",
	"credentials",
	"edits",
	"exports",
	"find",
	"imports",
	"model",
	"operations",
	"paging",
	"pipelining",
	"properties",
	"replies",
]) {
	await import(`./${suite}.test.ts`);
}
await import("../store/background.test.ts");
