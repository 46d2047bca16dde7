// Asks before a sign-out aborts edits that are under way.

import { Question } from "../parts/question.tsx";

interface EndEditsProps {
	signOut(): void;
	onClose(): void;
}

export function EndEdits({ signOut, onClose }: EndEditsProps) {
	const answers = { no: "Stay signed in", yes: "Sign out" };
	return (
		<Question title="Sign out and lose changes that are not stored?" {...answers} onYes={signOut} onClose={onClose}>
			Some changes of animals are not stored yet.
		</Question>
	);
}
