// The promises of the service, and their proofs: titles of tests, and names of `npm run prove` for the long form.
// docs/promises.md is generated from this table, the last long runs (test/last-runs.json) and the statements of the
// interface below, by `WRITE_PROMISES=1 npm test -- test/house/house.test.ts`.

export interface Proven {
	says: string;
	tests: string[];
	proofs?: string[];
}

export const promises: Record<string, Proven[]> = {
	"Nothing acknowledged is lost": [
		{
			says: "201 is sent after the commit with the animal was synced.",
			tests: [
				"an acknowledged animal survives every SIGKILL, and no id or key is used twice",
				"an acknowledged animal survives every SIGKILL of its node, and no id or key is used twice",
				"test/store/fault-points.test.ts",
			],
			proofs: ["crash", "calls", "systemd"],
		},
		{
			says: "The end of one of several nodes loses nothing, and the others keep serving.",
			tests: [
				"nodes on one port that are killed under load lose nothing acknowledged",
				"nodes with REUSE_PORT share a port; one keeps serving without the other",
			],
			proofs: ["nodes"],
		},
		{
			says: "If the path of the store leads to no file or another one, nothing is acknowledged, and `/livez` fails; from another one nothing is read.",
			tests: [
				"once the path leads to another file, also by a link, nothing is read from the previous",
				"nothing is acknowledged after the store's folder is removed",
				"nothing is acknowledged after another file gets the store's name; it is not changed",
				"nothing is acknowledged after the store's folder is renamed, and nothing is lost in it",
				"liveness fails soon after the store's file is gone, even before a create",
			],
		},
		{
			says: "After a failed sync, no node of the store that was running acknowledges anything until it is restarted.",
			tests: [
				"after a failed sync nothing is acknowledged, one fatal line is logged, and reads work",
				"nothing is acknowledged after a sync failed in another process; a later node works",
			],
			proofs: ["sync"],
		},
		{
			says: "With a full disk, creates get 503 and reads work; with space again, creates work without a restart. A backup fails in one sentence, leaves nothing, and is made once there is space.",
			tests: [
				"with a full disk, creates get 503, reads work, and the service recovers by itself",
				"a failed backup is logged as one error line and an alarm, and made once it can be",
			],
			proofs: ["full", "debian"],
		},
		{
			says: "SIGTERM drops no accepted request, and connections that wait to be accepted get a reply.",
			tests: [
				"SIGTERM under load drops no request: a full reply or a refused connection",
				"connections that wait to be accepted when the service stops are accepted and answered",
				"while connections come in each tick of a busy event loop, a stop resets none of them",
				"a client that pauses between two requests gets one more reply while the service stops",
				"with a socket that systemd holds, a restart under load fails no request",
				"signals within a second are one stop, and a later one ends the service at once",
			],
			proofs: ["systemd"],
		},
	],
	"Ids, pages and repeats": [
		{
			says: "Ids never repeat and ascend in commit order.",
			tests: [
				"postgres: ids ascend in commit order on all nodes: polling the last page misses nothing",
				"the id of a removed newest animal is not used again, also after a copy",
				"reading all pages during creates neither skips nor repeats; the last page shows the rest",
			],
		},
		{
			says: "A repeated create with the same Idempotency-Key makes one animal.",
			tests: [
				"fifty concurrent creates with one Idempotency-Key create one animal, and all return it",
				"a repeated create gets the first reply, byte for byte, even if its animal was changed",
				"a repeated create of an edited or removed animal is a repeat, without its name",
				"the next version upgrades a store at its start, and nothing is lost",
				"postgres: one Idempotency-Key, new or expired, on two nodes at once makes one animal",
			],
			proofs: ["crash"],
		},
		{
			says: "Reading all pages neither skips nor repeats an animal, also during creates and edits.",
			tests: [
				"reading all pages returns every animal once, for every limit and filter",
				"reading all pages backwards returns every animal once, for every limit and filter",
				"any creates, edits by two editors at once, and followed links agree with a simple model",
				"a walk in either direction neither skips nor repeats what was not edited",
			],
		},
		{
			says: "An import adds each row once, in the order of the file, whatever is lost, whoever repeats it, with whatever key.",
			tests: [
				"whatever is lost, with whatever keys, an import adds each row once, in the file's order",
				"imports of the same file at the same time add each row once, and each is told of all rows",
				"an import whose key is revoked saves its other rows; any key adds them, or the file, once",
				"an import survives a pause, a lost reply and a revoked key: each row once, in order",
				"an import is there again after a reload, paused, and adds each row once",
				"an animal whose reply was lost is added once, also after a refusal and with another key",
				"a batch without a reply is not sent again after its keys may have expired",
			],
			proofs: ["import"],
		},
		{
			says: "A spreadsheet changes no cell of an exported workbook.",
			tests: [
				"every name, category and status is read back, also what XML does not have and what looks like an escape",
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
				"sqlite: a reply shows each create, edit and revocation before it, beside 1,300 connections",
				"sqlite: no read of a tick hides from others a commit of a process before the tick ends",
				"a write is visible on all nodes at once, and a revoked key stops on all within a second",
			],
			proofs: ["day"],
		},
		{
			says: "An edit is one transaction with its line in the audit log, and never hidden by a 304; counts follow it.",
			tests: [
				"an edit is in the next reply of every node; its create gets the first reply",
				"edits of several processes during creates are all applied, one by one",
				"counts by status follow every edit, also of another process and during the count",
			],
		},
		{
			says: "Nothing of an abandoned timeline is shown: after a failover, a crash or a restore, no page, 304, count or key of it, and a cursor past the last animal is refused.",
			tests: [
				"after a failover to a standby that lacks animals, an edit and a key, none is shown",
				"with a synchronous standby, commits only a crash made visible hide nothing acknowledged",
				"after a restore under a running service, nothing of the abandoned timeline is shown",
				"after a file was put back while no node ran, nothing of the abandoned timeline is shown",
				"sqlite: when a program restores the file in its place, nothing abandoned is shown",
			],
			proofs: ["pooler", "litestream", "patroni"],
		},
		{
			says: "Nodes that start at once make one store, one `API_KEY` and one first key. A port never has nodes of two stores.",
			tests: [
				"nodes that start at once on a new store make one store, and one first key",
				"nodes that start at once with an API_KEY add it once",
				"with REUSE_PORT, a node refuses a port of another store, also of a copy or elsewhere",
				"if nodes of different stores start at once on one port, all that serve have the same store",
			],
		},
		{
			says: "Nodes go on beside a newer version that only adds to the schema; otherwise they stop storing at once, and keep reading.",
			tests: [
				"while newer versions only add to the schema, older nodes go on",
				"a store of the first schema gets categories, and takes what older nodes write",
				"a node whose store is upgraded stores nothing more, says so, and keeps reading",
				"a node without creates notices an upgrade through its probes",
			],
			proofs: ["upgrade"],
		},
	],
	PostgreSQL: [
		{
			says: "A node that starts while the server is away waits for it, and its probes say so.",
			tests: ["test/store/away-postgres.test.ts"],
		},
		{
			says: "Requests get 503 with `Retry-After` while the server is away, and within 5 s of its return everything works. No node ends.",
			tests: [
				"while the server is down (kill -9), requests get 503, and all succeed after its return",
				"while the server is frozen (SIGSTOP), requests get 503, and all succeed after it continues",
				"cut connections cause at most 503s, lose no animal, and are not leaked",
				"postgres: a connection lost in a transaction fails only its caller",
				"if the server has no free connection, a node's reads wait for those that it has",
				"while the primary is read-only, the node is ready and reads; later creates succeed",
			],
			proofs: ["pooler"],
		},
		{
			says: "A failover to a synchronous standby loses nothing acknowledged, and a standby is never read.",
			tests: [
				"a failover to a streaming replica loses no acknowledged animal",
				"a commit that no standby confirms is a 503, until one does: then a repeat returns it",
				"a connection to a standby is never used: starts are refused, nodes wait for a primary",
				"when a running primary becomes read-only, all move to the one promoted in its place",
			],
			proofs: ["patroni", "compose"],
		},
		{
			says: "A rolling restart behind nginx, Caddy or HAProxy fails no request.",
			tests: ["a rolling restart of three nodes behind a load balancer fails no request"],
			proofs: ["balancer", "systemd"],
		},
		{
			says: "A layout that spreads the animals over shards is refused, and stops writes when it appears.",
			tests: [
				"the layout is single: tables that Citus spreads over shards are refused at the start",
				"a node notices within 5 s that animals were spread over shards, and stops writing",
				"animals in foreign tables are refused, in one, partitioned by hash or inherited",
				"an engine that is not PostgreSQL is refused by its version(), and nothing is created",
			],
			proofs: ["citus"],
		},
		{
			says: "A batch of creates is one statement, and an edit ends within 5 s, so a slow or lost node stops no other.",
			tests: [
				"test/store/frozen-node-postgres.test.ts",
				"postgres: a batch is one statement, with new or used Idempotency-Keys, and two with both",
				"postgres: a create with an Idempotency-Key keeps no transaction open over a round trip",
			],
		},
	],
	"Load and other clients": [
		{
			says: "Slow, oversized, endless, half-open, pipelining or never-reading clients do not affect others, and each gets its own replies, in order.",
			tests: [
				"200 clients that pipeline delay others at most three times as long as clients that do not",
				"test/contract/hostile.test.ts",
				"test/contract/framing.test.ts",
				"test/contract/connections.test.ts",
				"test/contract/pipelining.test.ts",
				"half-closes",
			],
			proofs: ["mutations", "schemathesis"],
		},
		{
			says: "Overload is refused early; memory stays bounded. A create waits at most `CREATE_WAIT_MAX` until its commit begins, and one that is refused is never stored.",
			tests: [
				"too many waiting creates are refused as overloaded; it recovers within 2 seconds",
				"while a commit hangs, creates are refused after CREATE_WAIT_MAX, and never stored",
			],
			proofs: ["overload"],
		},
		{
			says: "Background work neither ends the service nor refuses a request.",
			tests: ["background work waits, reads continue, creates are answered"],
		},
		{
			says: "No request is refused because other programs use the processor, or because the process was stopped for a while.",
			tests: [
				"an event loop that is late because others use the processor, or because the process was stopped, refuses nothing",
			],
			proofs: ["shedding"],
		},
		{
			says: "On half a core, a client is answered within 2 s also beside 4,000 that ask without a pause.",
			tests: ["refusals for overload close connections, share a log line per second, and are counted"],
			proofs: ["shedding"],
		},
		{
			says: "`/readyz` fails only when this node cannot read, or stops; `/livez` only when a restart is the only help.",
			tests: ["readyz depends on reads only; livez fails only when creates need a restart"],
			proofs: ["probes"],
		},
	],
	"Edits and exports of the console": [
		{
			says: "Finding in the console misses nothing and delays nobody, whatever others add, rename and remove meanwhile.",
			tests: [
				"a search finds what a filter of all animals finds, in any order and page size",
				"pages skip and repeat no unchanged animal while others add, rename and remove",
				"reads go on during searches, a search sees all before it, and may be dropped",
			],
		},
		{
			says: "An edit is made only if the animal is as its editor saw it. The audit names the key.",
			tests: ["test/contract/edits.test.ts", "test/console/edits.test.ts"],
		},
		{
			says: "Only a key with `pets:edit` edits. No page of another origin calls an endpoint under `/console/`.",
			tests: ["only a key with pets:edit edits and reads histories, and no page of another origin"],
		},
		{
			says: "A download that fails is broken off. Its address works for a minute, and only while its key does.",
			tests: ["test/contract/exports.test.ts"],
		},
	],
	"Files and backups": [
		{
			says: "A foreign, newer, locked, read-only or damaged file is refused at start with one sentence and not changed. Damage inside a file of more than 16 MiB is found by `verify` and by each backup.",
			tests: [
				"sqlite: a file that is not an animal store is refused with one sentence, and not changed",
				"sqlite: a store with any flipped bit is refused in one sentence or works",
				"sqlite: a flipped bit in the schema's text is refused, and the file is not changed",
				"a large store that is truncated, or whose schema or ends are damaged, is refused at start",
				"a large store with damage inside starts; verify finds it, and no backup is completed",
			],
		},
		{
			says: "`animal-store verify` finds damage anywhere in the structure of a store, and changes neither it nor its WAL.",
			tests: [
				"verify ends with 1 for each kind of damage, and names it",
				"verify changes no store of a running service, no file after a SIGKILL, and no WAL",
				"verify needs no permission to write, and leaves no file",
			],
		},
		{
			says: "Only `serve`, `keys create`, `restore` and the target of `copy` create a store.",
			tests: [
				"sqlite: a command that creates no store refuses a mistyped DATABASE_URL",
				"postgres: a command that creates no store refuses a database without one",
			],
		},
		{
			says: "A backup made under load restores to a consistent store. The WAL of another store is never replayed over it.",
			tests: ["a backup made under load restores over a crashed store, whose old WAL is never replayed"],
			proofs: ["restore", "litestream", "pg-backup", "debian"],
		},
		{
			says: "The service's own backups are complete or absent, an older one is removed only after a newer one of the same store is complete, and one node makes them.",
			tests: [
				"old backups of the same store are removed once a new one is complete; other files stay",
				"a start without its store's disk is refused beside backups; a new store removes none",
				"a stop ends a running backup and leaves no file of it",
				"a first backup is made at once, sound and private; a restart makes no second one",
				"two nodes with one folder for backups make each once; one continues without the other",
				"one of several nodes gets a lease, until it returns or does not renew it",
			],
		},
		{
			says: "Processes that close the store at the same moment leave one file without a WAL. The WAL stays bounded, also after another program has held an old snapshot for long.",
			tests: [
				"processes that close a store at the same moment leave no WAL",
				"a WAL that a killed process left is removed at the next close; its animals are kept",
				"sqlite: the WAL grows beside an old snapshot, and is truncated soon after that ends",
			],
			proofs: ["nodes"],
		},
		{
			says: "A removed name is in no file of the embedded store, in no catalog or row of PostgreSQL, and a restore with the audit log does not bring it back.",
			tests: [
				"sqlite: a removed or replaced name is in no file of a store that a service has open",
				"sqlite: after any creates, edits and removals no replaced name is left, and all else is",
				"restore --audit brings back no animal removed after the backup, and keeps its id and key",
				"postgres: a removed or replaced name is in no catalog, and in files only in unused space",
			],
			proofs: ["erase"],
		},
	],
};

/**
 * The statements of the interface document (version 1.0.0), and our decisions where it shows nothing, by what tests
 * them.
 */
export const statements: Proven[] = [
	{
		says: "§1 three operations, §8 their parameters and limits, §9 version 1.0.0 below `/v1`",
		tests: ["operations, parameters and limits are those of the interface document"],
	},
	{
		says: "§2, §4.2 Pet is a NewPet plus an int64 `id`, which is assigned and not sent; required `name` and int64 `categoryId`; `status` of three or absent, without a default; 201 with the animal; 400 for missing or invalid fields. Decided: unknown fields are ignored, `Location` until getPet's removal",
		tests: ["json"],
	},
	{
		says: "§2 Decided: `name` has 1 to 255 code points, one not white space, no control characters, no lone surrogates, and is kept as sent; a category has no other field",
		tests: ["any body that is a NewPet is stored, and any other bytes are refused and store nothing"],
	},
	{
		says: "§1, §4.1, §4.3 JSON; 200 with Pets or the animal, 404 without one. Decided: `ETag`, 304, `private, no-cache`; `prev` and `last`",
		tests: ["reading"],
	},
	{
		says: "§4.1, §8 `limit` from 1 to 100, 20 when absent; `status`. Decided: an unknown parameter is 400",
		tests: ["queries"],
	},
	{
		says: "§4.1 paginated. Decided: `Link` with `next` and an opaque signed cursor, by ascending id; no `next` is the end; a cursor of another filter, tampered or past all ids is 400",
		tests: [
			"reading all pages returns every animal once, for every limit and filter",
			"a cursor is bound to its filter and store and cannot be forged; its limit may change",
			"every read returns the last edit and id, also if that animal was removed",
			"a backward page that was emptied by hand has no prev, and links to what follows",
			"reading backwards during creates neither skips nor repeats; the last page shows new ones",
		],
	},
	{
		says: "§5, §7 bearer key; missing or invalid is 401 with an Error. Decided: 403 without the scope",
		tests: ["credentials", "a key can be created, listed, rotated with grace and revoked while the service runs"],
	},
	{
		says: "§2, §7 Error has `code`, `message`, `status`. Decided: the codes of errors.md, for unreadable HTTP, too",
		tests: [
			"every error code has one status, and every status of the interface document is used",
			"a stalled request gets 408 wherever it stops, with time-outs proportional to the defaults",
			"framing",
		],
	},
	{
		says: "§4.3, §9 getPet is deprecated and removed on 5 December 2030. Decided: `Deprecation`, `Sunset`, `Link`; then 410",
		tests: ["removal"],
	},
	{
		says: "§1, §4 Decided: HEAD, OPTIONS, 405 with `Allow`; no change or removal over the interface, no other operation; a `petId` that is not an int64 is 404",
		tests: ["methods", "targets"],
	},
	{
		says: "§4 Decided: gzip of full pages that are requested again",
		tests: ["a full page that is asked for again is compressed on request, with a tag of its own"],
	},
	{
		says: "§8 Decided: rates are off unless set; bodies have at most 64 KiB and 64 levels, headers 16 KiB, URLs 12 KiB",
		tests: [
			"every reply has the rate limit headers, and a refusal has a consistent Retry-After",
			"a body of more than 64 levels is invalid_json whatever its content; 64 are accepted",
			"headers",
		],
	},
	{
		says: "§9 Decided: `/v1` changes by additions only",
		tests: [
			"openapi.json is up to date: npm run openapi writes it",
			"a code, a field or a status that a later version adds is valid by the document",
		],
	},
];
