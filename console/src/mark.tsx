// The mark of animal-store: a paw whose pad is a store of data. public/icon.svg is the same drawing.

export function Mark() {
	return (
		<svg class="mark" width="22" height="22" viewBox="0 0 22 22" aria-hidden="true">
			<rect class="ground" width="22" height="22" rx="6" />
			<g class="paw">
				<circle cx="5.3" cy="9.6" r="1.6" />
				<circle cx="8.9" cy="6" r="1.7" />
				<circle cx="13.1" cy="6" r="1.7" />
				<circle cx="16.7" cy="9.6" r="1.6" />
				<path d="M6.7 12.4v3.5c0 1.1 1.9 2 4.3 2s4.3-.9 4.3-2v-3.5c0 1.1-1.9 2-4.3 2s-4.3-.9-4.3-2z" />
				<ellipse cx="11" cy="11.4" rx="4.3" ry="1.9" />
			</g>
		</svg>
	);
}
