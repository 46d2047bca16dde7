// Repeats with PostgreSQL the tests of the HTTP interface whose replies depend on what the store keeps. The others, such
// as those of framing, connections and credentials, never reach the engine; test/store/find.test.ts searches in both.

process.env["TEST_ENGINE"] = "postgres";

for (const suite of ["corpus", "edits", "exports", "imports", "model", "paging", "replies"]) {
	await import(`./${suite}.test.ts`);
}
await import("../outcomes/requests.test.ts");
await import("../store/background.test.ts");
