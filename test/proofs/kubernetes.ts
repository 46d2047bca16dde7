// Checks kustomize's output for deploy/kubernetes against the schemas of Kubernetes. Nothing runs on a cluster.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load, loadAll } from "js-yaml";
import { isOnPath, type Need, type Proof } from "../support/proof.ts";

const kustomize: Need = {
	text: "kubectl 1.27 or newer, or kustomize 5 (go install sigs.k8s.io/kustomize/kustomize/v5@latest)",
	isMet: () => isOnPath("kubectl") || isOnPath("kustomize"),
};
const validator: Need = {
	text: "kubernetes-validate (pip install kubernetes-validate), which has the schemas",
	isMet: () => isOnPath("kubernetes-validate"),
};
/** The oldest version of Kubernetes that knows all fields, and newer versions. */
const versions = ["1.27", "1.30", "1.33", "1.35", "1.37"];

export const proof: Proof = {
	shows: "deploy/kubernetes fits the schemas of Kubernetes, and is not deployed without the address of a database",
	needs: [kustomize, validator],
	async prove({ folder: own, say }) {
		const place = join(own, "kubernetes");
		cpSync(folder, place, { recursive: true, filter: (path) => !path.endsWith("/database-url") });
		assert.match(build(join(place, "postgresql")).stderr, /database-url/, "without the file nothing is deployed");
		writeFileSync(join(place, "postgresql/database-url"), "postgres://animals:x@db.internal:5432/animals");
		let objects = 0;
		const file = join(own, "all.yaml");
		for (const engine of ["postgresql", "embedded"]) {
			const { status, stdout, stderr } = build(join(place, engine));
			assert.equal(status, 0, stderr);
			const manifests = loadAll(stdout) as Manifest<unknown>[];
			objects += manifests.length;
			writeFileSync(file, stdout);
			for (const version of versions) {
				const checked = validate(file, version);
				assert.equal(checked.status, 0, checked.output);
				for (const { kind, metadata } of manifests)
					assert.match(checked.output, new RegExp(`passed for resource ${kind}/${metadata.name}`, "i"));
				say(`${engine}: ${manifests.length} objects are valid in Kubernetes ${version}`);
			}
		}
		const wrong = join(own, "wrong.yaml");
		for (const [right, mistake] of mistakes) {
			const text = readFileSync(file, "utf8");
			assert.ok(text.includes(right), right);
			writeFileSync(wrong, text.replace(right, mistake));
			assert.notEqual(validate(wrong, "1.37").status, 0, `${mistake} is refused`);
		}
		return { objects, oldest: versions[0], newest: versions.at(-1) };
	},
};

/** Mistakes that the validation must refuse, which shows that it checks the schemas. */
const mistakes = [
	["readinessProbe:", "readinesProbe:"],
	["drop:", "drops:"],
	["containerPort: 8080", "containerPort: http"],
] as const;

function build(place: string) {
	const [program = "", ...parameters] = isOnPath("kubectl") ? ["kubectl", "kustomize"] : ["kustomize", "build"];
	return spawnSync(program, [...parameters, place], { encoding: "utf8" });
}

function validate(file: string, version: string): { status: number | null; output: string } {
	const parameters = ["--strict", "--kubernetes-version", version, file];
	const { status, stdout, stderr } = spawnSync("kubernetes-validate", parameters, { encoding: "utf8" });
	return { status, output: stdout + stderr };
}

export const folder = new URL("../../deploy/kubernetes/", import.meta.url);

export type Labels = Record<string, string>;
export interface Selector {
	matchLabels: Labels;
}

export interface Probe {
	httpGet: { path: string; port: string };
}

export interface Container {
	image: string;
	env: { name: string; value: string }[];
	ports: { name: string; containerPort: number }[];
	startupProbe: Probe;
	readinessProbe: Probe;
	livenessProbe: Probe;
	volumeMounts: { name: string; mountPath: string }[];
}

export interface Manifest<Spec> {
	kind: string;
	metadata: { name: string; labels: Labels };
	spec: Spec;
}

/** A Deployment or a StatefulSet. */
export type Workload = Manifest<{
	replicas: number;
	selector: Selector;
	template: {
		metadata: { labels: Labels };
		spec: {
			terminationGracePeriodSeconds: number;
			securityContext: { runAsUser: number; runAsGroup: number };
			topologySpreadConstraints?: { labelSelector: Selector }[];
			containers: Container[];
			volumes?: { name: string; secret: { secretName: string } }[];
		};
	};
	volumeClaimTemplates?: { metadata: { name: string } }[];
}>;
export type Service = Manifest<{ selector: Labels; ports: { targetPort: string }[] }>;
export type Budget = Manifest<{ selector: Selector }>;
export type NetworkPolicy = Manifest<{ podSelector: Selector; ingress: { ports: { port: string }[] }[] }>;

export interface Kustomization {
	resources: string[];
	images?: { name: string; newName: string }[];
	secretGenerator?: { name: string; files: string[] }[];
}

export function manifest<Kind>(file: string): Kind {
	return load(readFileSync(new URL(`${file}.yaml`, folder), "utf8")) as Kind;
}
