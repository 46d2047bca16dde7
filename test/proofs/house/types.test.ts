// The compiler accepts the sources, and no `await` is missing in places that the compiler does not check. Biome's rule
// noFloatingPromises finds only about two thirds of these places.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
	type Expression,
	type FunctionDeclaration,
	isBinaryExpression,
	isExpressionStatement,
	isPrefixUnaryExpression,
	isReturnStatement,
	isTemplateSpan,
	isTryStatement,
	type Node,
	SyntaxKind,
} from "typescript/unstable/ast";
import { API, type Project } from "typescript/unstable/sync";
import { checkout } from "../../support/checkout.ts";

const functions = [
	SyntaxKind.ArrowFunction,
	SyntaxKind.FunctionDeclaration,
	SyntaxKind.FunctionExpression,
	SyntaxKind.MethodDeclaration,
];

function isWithinTry({ parent }: Node, isTried = false): boolean {
	if (!parent || !functions.includes(parent.kind))
		return !!parent && isWithinTry(parent, isTried || isTryStatement(parent));
	return isTried && !!(parent as FunctionDeclaration).modifiers?.some(({ kind }) => kind === SyntaxKind.AsyncKeyword);
}

/** Expressions that must not be promises: a promise would be lost there, or be used as true instead of its value. */
function valuesIn(node: Node, found: Expression[] = []): Expression[] {
	const isAssignment = (value: Expression) => isBinaryExpression(value) && /=$/.test(value.operatorToken.getText());
	if (isExpressionStatement(node) && !isAssignment(node.expression)) found.push(node.expression);
	if (isTemplateSpan(node)) found.push(node.expression);
	if (isPrefixUnaryExpression(node)) found.push(node.operand);
	if (isReturnStatement(node) && node.expression && isWithinTry(node)) found.push(node.expression);
	node.forEachChild((child) => void valuesIn(child, found));
	return found;
}

function faultsIn({ program, checker }: Project, path: string): string[] {
	const file = program.getSourceFile(path);
	assert.ok(file, path);
	const at = (end: number, text: string) => `${path}:${file.text.slice(0, end).split("\n").length}: ${text}`;
	const values = valuesIn(file).filter(({ kind }) => kind !== SyntaxKind.AwaitExpression);
	const types = checker.getTypeAtLocation(values);
	const promises = values.filter((_, place) => {
		const type = types[place] && checker.getNonNullableType(types[place]);
		return type && checker.getPropertyOfType(type, "then");
	});
	return [
		...program.getSemanticDiagnostics(path).map(({ end, text }) => at(end, text)),
		...promises.map((value) => at(value.end, `this promise is lost: ${value.getText(file)}`)),
	];
}

for (const config of ["tsconfig.json", "console/tsconfig.json"])
	test(`${config}: the types are right, and every promise is awaited, kept or void`, (context) => {
		const api = new API({ cwd: checkout });
		context.after(() => api.close());
		const project = api.updateSnapshot({ openProjects: [checkout + config] }).getProject(checkout + config);
		assert.ok(project);
		const sources = project.program
			.getSourceFileNames()
			.filter((path) => /^(console\/)?src\/.*(?<!\.test)\.tsx?$/.test(path.slice(checkout.length)));
		assert.ok(sources.length > 50);
		const faults = sources.flatMap((path) => faultsIn(project, path));
		assert.deepEqual(faults, []);
	});
