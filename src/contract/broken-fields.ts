// The message that lists broken fields, such as "name is required and must be a string; categoryId must be an integer".
// Only this file writes and reads it, so that a form can show each rule at its field.

export interface BrokenField {
	/** Undefined when the whole value is broken. */
	field: string | undefined;
	/** What the field must be, with the verb: "must be …" or "is required and must be …". */
	rule: string;
}

const separator = "; ";

/** One phrase per broken field. Rules are descriptions of our own schemas and never contain the separator. */
export function brokenFieldsMessage(broken: readonly BrokenField[]): string {
	return broken.map(({ field, rule }) => `${field ?? "the body"} ${rule}`).join(separator);
}

/** The broken fields that a message names. An unknown phrase is returned unchanged, without a field. */
export function brokenFieldsIn(message: string): BrokenField[] {
	return message.split(separator).map((phrase) => {
		const [, subject, rule] = /^(the body|\w+) ((?:is required and )?must be .+)$/s.exec(phrase) ?? [];
		if (subject === undefined || rule === undefined) return { field: undefined, rule: phrase };
		return { field: subject === "the body" ? undefined : subject, rule };
	});
}
