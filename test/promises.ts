// The promises of the service. Each has a test title from every file that proves it, and the names of its long-running
// proofs (`npm run prove`).
// docs/promises.md is generated from this table and the statements of the interface (statements.ts), by
// `WRITE_PROMISES=1 npm test -- test/house/house.test.ts`.

export interface Proven {
	says: string;
	tests: string[];
	proofs?: string[];
}

export const promises: Record<string, Proven[]> = {
	"Nothing acknowledged is lost": [
		{
			says: "201 is sent only after the commit with the animal is synced.",
			tests: [
				"an acknowledged animal survives every SIGKILL, and no id or key is used twice",
				"test/store/fault-points.test.ts",
			],
			proofs: ["crash", "calls", "systemd"],
		},
		{
			says: "If one of several nodes ends, nothing is lost, and the others keep serving.",
			tests: ["nodes on one port that are killed under load lose nothing acknowledged"],
			proofs: ["nodes"],
		},
		{
			says: "If the path of the store leads to no file or to another, nothing is acknowledged, and `/livez` fails; another file is not read.",
			tests: ["test/store/lost-file.test.ts"],
		},
		{
			says: "After a failed sync, no running node of the store acknowledges anything until it is restarted.",
			tests: [
				"after a failed sync nothing is acknowledged, one fatal line is logged, and reads work",
				"nothing is acknowledged after a sync failed in another process; a later node works",
			],
			proofs: ["sync"],
		},
		{
			says: "With a full disk, creates get 503 and reads work; once there is space, creates work without a restart. A backup fails with a message, leaves no file, and is retried until there is space.",
			tests: [
				"with a full disk, creates get 503, reads work, and the service recovers by itself",
				"a failed backup is logged as one error line and an alert, and made once it can be",
			],
			proofs: ["full", "debian"],
		},
		{
			says: "SIGTERM drops no accepted request, and connections that wait to be accepted get a reply.",
			tests: [
				"SIGTERM under load drops no request: a full reply or a refused connection",
				"connections that wait to be accepted when the service stops are accepted and answered",
				"signals within a second are one stop, and a later one ends the service immediately",
			],
			proofs: ["systemd"],
		},
	],
	"Ids, pages and repeats": [
		{
			says: "Ids never repeat and ascend in commit order.",
			tests: [
				"postgres: ids ascend in commit order on all nodes: polling the last page misses nothing",
				"the id of a removed newest animal is not used again, even after a copy",
				"reading all pages during creates neither skips nor repeats; the last page shows the rest",
			],
		},
		{
			says: "A repeated create with the same Idempotency-Key adds only one animal.",
			tests: [
				"fifty concurrent creates with one Idempotency-Key create one animal, and all return it",
				"a repeated create of an edited or removed animal is a repeat, without its name",
				"the next version upgrades a store at its start, and nothing is lost",
				"postgres: one Idempotency-Key, new or expired, on two nodes together makes one animal",
			],
			proofs: ["crash"],
		},
		{
			says: "Reading all pages neither skips nor repeats an animal, even during creates and edits.",
			tests: [
				"all pages, forwards and backwards, have every animal once, for every limit and filter",
				"any creates, concurrent edits by two editors, and followed links agree with a simple model",
			],
		},
		{
			says: "An import adds each row once, in the order of the file, whatever is lost, and whoever repeats it with whatever API key.",
			tests: [
				"whatever is lost, with whatever keys, an import adds each row once, in the file's order",
				"an import whose key is revoked saves its other rows; any key adds them, or the file, once",
				"an import survives a pause, a lost reply and a revoked key: each row once, in order",
				"an animal whose reply was lost is added once, even after a refusal and with another key",
			],
			proofs: ["import"],
		},
		{
			says: "A spreadsheet changes no cell of an exported workbook.",
			tests: [
				"every name, category and status is read back, even what XML does not have and what looks like an escape",
			],
			proofs: ["spreadsheets"],
		},
		{
			says: "Clock jumps affect only expiry times.",
			tests: [
				"a clock jump of an hour in either direction affects only expiry",
				"a jump of the wall clock by an hour neither extends nor refills a rate limit window",
			],
		},
	],
	"A reply is as new as its request": [
		{
			says: "After a 201 or an edit, every later request to any node shows it; a revoked key is refused within a second.",
			tests: [
				"sqlite: a reply shows each create, edit and revocation before it, with 1,300 connections",
				"sqlite: no read of a tick hides from others a commit of a process before the tick ends",
				"a write is visible on all nodes immediately; a revoked key stops on all",
			],
			proofs: ["day"],
		},
		{
			says: "An edit and its line in the audit log are one transaction. A 304 never hides an edit, and counts reflect it.",
			tests: [
				"an edit is in the next reply of every node; its create gets the first reply",
				"edits of several processes during creates are all applied, one by one",
				"counts by status follow every edit, even of another process and during the count",
			],
		},
		{
			says: "After a failover, a crash or a restore, no page, 304, count or key of an abandoned timeline is used, and a cursor past the last animal is refused.",
			tests: [
				"test/store/histories-postgres.test.ts",
				"after a file was restored while no node ran, nothing of the abandoned timeline is shown",
				"sqlite: when a program restores the file in its place, nothing abandoned is shown",
			],
			proofs: ["pooler", "litestream", "patroni"],
		},
		{
			says: "Nodes that start at the same time create one store, one `API_KEY` and one first key. Nodes of different stores never share a port.",
			tests: [
				"nodes that start together on a new store create one store, and one first key",
				"nodes that start together with an API_KEY add it once",
				"with REUSE_PORT, a node refuses a port of another store, even of a copy or elsewhere",
			],
		},
		{
			says: "Nodes keep writing alongside a newer version that only adds to the schema; otherwise they stop writing immediately, and keep reading.",
			tests: ["while newer versions only add to the schema, older nodes write; then only read"],
			proofs: ["upgrade"],
		},
	],
	PostgreSQL: [
		{
			says: "A node that starts while the server is down waits for it, and its probes say so.",
			tests: ["test/store/away-postgres.test.ts"],
		},
		{
			says: "While the server is down, requests get 503 with `Retry-After`; within 5 s of its return everything works. No node ends.",
			tests: [
				"requests get 503, and all succeed after its return",
				"postgres: a connection lost in a transaction fails only its caller",
				"if the server has no free connection, a node's reads wait for its own connections",
			],
			proofs: ["pooler"],
		},
		{
			says: "A failover to a synchronous standby loses nothing acknowledged, and a standby is never read.",
			tests: [
				"a failover to a streaming replica loses no acknowledged animal",
				"after a failover to a standby that lacks animals, an edit and a key, none is shown",
				"when a running primary becomes read-only, all move to the one promoted in its place",
			],
			proofs: ["patroni", "compose"],
		},
		{
			says: "In a rolling restart behind nginx, Caddy or HAProxy, no request fails.",
			tests: ["a rolling restart of three nodes behind a load balancer fails no request"],
			proofs: ["balancer", "systemd"],
		},
		{
			says: "A layout that spreads the animals over shards is refused at start, and stops writes if it appears later.",
			tests: ["test/store/engines-postgres.test.ts"],
			proofs: ["citus"],
		},
		{
			says: "A batch of creates is one statement, and an edit ends within 5 s, so a slow or lost node stops no other.",
			tests: [
				"test/store/frozen-node-postgres.test.ts",
				"postgres: a batch is one statement, with new or used Idempotency-Keys, and two with both",
			],
		},
	],
	"Load and other clients": [
		{
			says: "Slow, oversized, endless, half-open, pipelining or never-reading clients do not affect others, and each gets its own replies, in order.",
			tests: [
				"200 clients that pipeline delay others at most three times as long as clients that do not",
				"test/contract/hostile.test.ts",
				"cuts",
				"test/contract/connections.test.ts",
				"test/contract/pipelining.test.ts",
				"half-closes",
			],
			proofs: ["mutations", "schemathesis"],
		},
		{
			says: "Overload is refused early; memory stays bounded. A create waits at most `CREATE_WAIT_MAX` until its commit begins, and a refused create is never stored.",
			tests: [
				"too many waiting creates are refused as overloaded; it recovers when they are stored",
				"while a commit hangs, creates are refused after CREATE_WAIT_MAX, and never stored",
			],
			proofs: ["overload"],
		},
		{
			says: "Background work neither ends the service nor refuses a request.",
			tests: ["background work waits, reads continue, creates are answered"],
		},
		{
			says: "No request is refused because other programs use the processor, or because the process was paused.",
			tests: [
				"an event loop that is late because others use the processor, or because the process was stopped, refuses nothing",
			],
			proofs: ["shedding"],
		},
		{
			says:
				"On half a core, a connected client is answered within 2 s even while 4,000 others send without a pause; a " +
				"refusal ends its connection.",
			tests: ["refusals for overload close connections, share a log line per second, and are counted"],
			proofs: ["shedding"],
		},
		{
			says: "`/readyz` fails only when this node cannot read, or is stopping; `/livez` only when nothing but a restart helps.",
			tests: ["readyz depends on reads only; livez fails only when creates need a restart"],
			proofs: ["probes"],
		},
	],
	"Edits and exports of the console": [
		{
			says: "A search in the console misses nothing and delays no other request, whatever others change.",
			tests: ["test/store/find.test.ts"],
		},
		{
			says: "An edit is made only if the animal is still as its editor saw it. The audit names the key.",
			tests: ["test/contract/edits.test.ts", "test/console/edits.test.ts"],
		},
		{
			says: "Only a key with `pets:edit` edits. No page of another origin calls an endpoint under `/console/`.",
			tests: ["each endpoint of the console needs its scope, and no page of another origin calls one"],
		},
		{
			says: "A failed download is aborted. Its address works for a minute, and only while its key works.",
			tests: ["test/contract/exports.test.ts"],
		},
	],
	"Files and backups": [
		{
			says: "A foreign, newer, locked, read-only or damaged file is refused at start with a message, and not changed. Damage inside a file of more than 16 MiB is found by `verify` and by each backup.",
			tests: [
				"sqlite: a file that is not an animal store is refused with one sentence, and not changed",
				"a large store that is truncated, or whose schema or ends are damaged, is refused at start",
				"a large store with damage inside starts; verify finds it, and no backup is completed",
			],
		},
		{
			says: "`animal-store verify` finds damage anywhere in the structure of a store, and changes neither the store nor its WAL.",
			tests: ["test/store/verify.test.ts"],
		},
		{
			says: "Only `serve`, `keys create`, `restore` and the target of `copy` create a store.",
			tests: ["sqlite: a command that creates no store refuses a mistyped DATABASE_URL"],
		},
		{
			says: "A backup made under load restores to a consistent store. The WAL of another store is never replayed over it.",
			tests: ["a backup made under load restores over a crashed store, whose old WAL is never replayed"],
			proofs: ["restore", "litestream", "pg-backup", "debian"],
		},
		{
			says: "The service's own backups are complete or absent. An older one is removed only after a newer one of the same store is complete. One node makes them.",
			tests: [
				"test/store/scheduled-backups.test.ts",
				"two nodes with one folder for backups make each once; one continues without the other",
				"one of several nodes gets a lease, until it returns or does not renew it",
			],
		},
		{
			says: "Processes that close the store at the same moment leave one file without a WAL. The WAL stays bounded, even after another program has held an old snapshot for a long time.",
			tests: [
				"processes that close a store at the same moment leave no WAL",
				"sqlite: the WAL grows during a long read transaction, and is truncated soon after its end",
			],
			proofs: ["nodes"],
		},
		{
			says: "A removed name is in no file of the embedded store, and in no catalog or row of PostgreSQL. A restore with the audit log does not bring it back.",
			tests: [
				"test/store/erase.test.ts",
				"restore --audit brings back no animal removed after the backup, and keeps its id and key",
			],
			proofs: ["erase"],
		},
	],
};
