// The forms and the menus of choices of the console.

import type { JSX } from "preact";

interface FormProps extends Omit<JSX.IntrinsicElements["form"], "onSubmit"> {
	onSubmit(form: HTMLFormElement): void;
}

/** A form whose entries never get into the address, even if its script fails. */
export function Form({ onSubmit, ...attributes }: FormProps) {
	return (
		<form
			method="post"
			{...attributes}
			onSubmit={(event) => {
				event.preventDefault();
				onSubmit(event.currentTarget);
			}}
		/>
	);
}

type Attributes = "id" | "name" | "class" | "value" | "disabled" | "aria-label" | "aria-invalid";

interface SelectProps extends Pick<JSX.IntrinsicElements["select"], Attributes> {
	/** The values, each with its text if the text differs from the value. */
	choices: readonly (readonly [value: string, text?: string])[];
	onChange(value: string): void;
}

export function Select({ choices, onChange, ...attributes }: SelectProps) {
	return (
		<select {...attributes} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
			{choices.map(([value, text = value]) => (
				<option key={value} value={value}>
					{text}
				</option>
			))}
		</select>
	);
}
