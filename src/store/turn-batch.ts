// Batches the database reads of one turn of the event loop. Equal reads share one result; the others are sent together
// at the end of the turn. A result is never older than its request.

/** @param answer receives the distinct questions of a turn and returns their answers in the same order */
export function createTurnBatch<Question, Answer>(
	nameOf: (question: Question) => string,
	answer: (questions: Question[]) => Promise<Answer[]>,
): (question: Question) => Promise<Answer> {
	let asked = new Map<string, { question: Question; answers: PromiseWithResolvers<Answer> }>();

	function send(): void {
		const turn = [...asked.values()];
		asked = new Map();
		answer(turn.map(({ question }) => question)).then(
			(results) => {
				for (const [index, { answers }] of turn.entries()) answers.resolve(results[index] as Answer);
			},
			(error) => {
				for (const { answers } of turn) answers.reject(error);
			},
		);
	}

	return (question) => {
		const name = nameOf(question);
		const known = asked.get(name);
		if (known) return known.answers.promise;
		if (asked.size === 0) setImmediate(send);
		const answers = Promise.withResolvers<Answer>();
		asked.set(name, { question, answers });
		return answers.promise;
	};
}
