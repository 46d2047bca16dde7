// The message that lists broken fields, such as "name is required and must be a string; categoryId must be an integer". It is
// written and read here and nowhere else, so that a form can put each rule beside its field.

export interface BrokenField {
	/** Undefined when the value is broken as a whole. */
	field: string | undefined;
	/** What the field must be, with the verb: "must be …" or "is required and must be …". */
	rule: string;
}

const separator = "; ";

/** One phrase per broken field. A rule never holds the separator: the rules are our own schemas' descriptions. */
export function brokenFieldsMessage(broken: readonly BrokenField[]): string {
	return broken.map(({ field, rule }) => `${field ?? "the body"} ${rule}`).join(separator);
}

/** The broken fields that a message names. A phrase that is not ours comes back as it is, about no field. */
export function brokenFieldsIn(message: string): BrokenField[] {
	return message.split(separator).map((phrase) => {
		const [, subject, rule] = /^(the body|\w+) ((?:is required and )?must be .+)$/s.exec(phrase) ?? [];
		if (subject === undefined || rule === undefined) return { field: undefined, rule: phrase };
		return { field: subject === "the body" ? undefined : subject, rule };
	});
}
