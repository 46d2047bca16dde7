// The manifests of deploy/kubernetes, and the types of what tests read in them.

import { readFileSync } from "node:fs";
import { load } from "js-yaml";

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
