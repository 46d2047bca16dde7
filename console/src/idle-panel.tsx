// What a wide window shows in the panel's place while no animal is open: the keys. The rows so never move.

interface IdlePanelProps {
	mayEdit: boolean;
	mayAdd: boolean;
}

export function IdlePanel({ mayEdit, mayAdd }: IdlePanelProps) {
	const keys: (readonly [key: string, meaning: string, isPossible?: boolean])[] = [
		["↑ ↓", "move"],
		["Enter", "open"],
		["s", "set status", mayEdit],
		["x", "select", mayEdit],
		["n", "add an animal", mayAdd],
		["?", "all keys"],
	];
	const shown = keys.filter(([, , isPossible = true]) => isPossible);
	return (
		<aside class="idle" aria-label="Keys">
			<p>Choose an animal to see it here.</p>
			<dl>
				{shown.map(([key, meaning]) => (
					<div key={key}>
						<dt>
							{key.split(" ").map((one) => (
								<kbd key={one}>{one}</kbd>
							))}
						</dt>
						<dd>{meaning}</dd>
					</div>
				))}
			</dl>
		</aside>
	);
}
