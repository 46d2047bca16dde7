// Repeats with PostgreSQL the tests of the HTTP interface whose replies depend on what the store keeps. The others, such
// as those of framing, connections and credentials, never reach the engine.

process.env["TEST_ENGINE"] = "postgres";

for (const suite of ["corpus", "edits", "exports", "find", "imports", "model", "paging", "properties", "replies"]) {
	await import(`./${suite}.test.ts`);
}
await import("../store/background.test.ts");
