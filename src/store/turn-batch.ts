// What is asked in one turn of the event loop is asked of the database at once: equal questions share one answer, and
// all different ones go out together at the end of the turn. None is sent before it is asked, so no answer is older
// than its question.

/** @param answer gets each different question of a turn once, and gives the answers in the same order */
export function turnBatch<Question, Answer>(
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
