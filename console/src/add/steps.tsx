// The frame of a step of adding many animals: its number, its instruction, and the buttons below.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { firstAnimals, hashOf } from "../parts/route.ts";

const steps = ["File", "Columns", "Values", "Check"] as const;
type StepName = (typeof steps)[number];

interface StepProps {
	name: StepName;
	/** The instruction. It takes the focus, so that a screen reader reads it aloud. */
	lead: ComponentChildren;
	/** The state of the step, in words. */
	note: ComponentChildren;
	onBack?: () => void;
	others?: ComponentChildren;
	next?: { label: string; isReady: boolean; run(): void };
	children: ComponentChildren;
}

export function Step({ name, lead, note, onBack, others, next, children }: StepProps) {
	const start = useRef<HTMLDivElement>(null);
	useLayoutEffect(() => {
		// The button that opened this step is gone, so nothing has the focus.
		if (document.activeElement === document.body) start.current?.focus();
	}, []);
	return (
		<div class="step-frame">
			<StepList at={steps.indexOf(name)} />
			<div class="line wraps lead" tabIndex={-1} ref={start}>
				{lead}
			</div>
			{children}
			<div class="line wraps go">
				<div class="soft">{note}</div>
				{others}
				{onBack && <Button label="Back" onClick={onBack} />}
				{next && <Button class="primary" label={next.label} isReady={next.isReady} onClick={next.run} />}
			</div>
		</div>
	);
}

/** @param at the index of the current step; past the last step when all steps are done */
export function StepList({ at }: { at: number }) {
	return (
		<div class="line step-list">
			<ol aria-label="Steps">
				{steps.map((step, index) => (
					<li key={step} class={index < at ? "done" : ""} aria-current={index === at ? "step" : undefined}>
						{step}
					</li>
				))}
			</ol>
			{at < steps.length && <a href={hashOf(firstAnimals())}>Cancel</a>}
		</div>
	);
}
