// The frame of the console: the session, the open view, and state that outlives a view, such as a half-filled form.

import { useEffect, useState } from "preact/hooks";
import { type Adding, emptyForm } from "./add/add-form.ts";
import type { AddManyProps } from "./add/add-many.tsx";
import type { Job } from "./add/add-rows.ts";
import { type Choosing, nothingChosen } from "./add/kept.ts";
import { CategoriesContext, useCategories } from "./categories/categories.ts";
import { type Edits, useEdits, useSettled } from "./edit/use-edits.ts";
import { Header } from "./header.tsx";
import { Animals, type AnimalsProps } from "./list/animals.tsx";
import { forgetSearch } from "./list/use-list.ts";
import { loadAll } from "./parts/later.ts";
import { LazyPart, LazyView, lazy } from "./parts/lazy-view.tsx";
import { Heading, Waiting } from "./parts/notes.tsx";
import { firstAnimals, go, hashOf, type Route, showPet, useRoute } from "./parts/route.ts";
import { focusRow } from "./parts/row-focus.ts";
import { areShortcutsOn, type Command, turnShortcuts, useCommands, useShortcuts } from "./parts/shortcuts.ts";
import { may, type Session } from "./session/session.ts";
import { SignIn } from "./session/sign-in.tsx";
import { type SessionState, useSession } from "./session/use-session.ts";
import { useWatch } from "./session/use-watch.ts";

export function App() {
	const route = useRoute();
	const [adding, setAdding] = useState<Adding>(emptyForm);
	const [job, setJob] = useState<Job>();
	const [choosing, setChoosing] = useState<Choosing>(nothingChosen);
	/** Outlives the session, so that the form is open again after signing in with another key. */
	const [isAdding, setIsAdding] = useState(false);
	const edits = useEdits();
	const { session, isOpening, reason, signIn, keep, signOut } = useSession({
		hasUnsent: () => isUnderWay(job) || isEntered(adding) || isChosen(choosing),
		onEnd(ending) {
			// A job whose key is refused pauses by itself and shows the reason.
			if (ending === "refused") return;
			job?.pause();
			if (ending === "timeIsOver") return;
			// Leaves nothing for the next person at this computer.
			setAdding(emptyForm);
			setIsAdding(false);
			setJob(undefined);
			setChoosing(nothingChosen);
			edits.forget();
		},
	});
	useEffect(() => {
		if (!session && !isOpening) forgetSearch();
	}, [session, isOpening]);
	/** A setter that does nothing after the sign-out, so that a late reply leaves nothing for the next user. */
	const unlessOut =
		<T,>(set: (next: T) => void) =>
		(next: T) => {
			if (session && !session.signedOut.signal.aborted) set(next);
		};

	const setters = { setAdding: unlessOut(setAdding), setJob: unlessOut(setJob), setChoosing: unlessOut(setChoosing) };
	const forms = { adding, isAdding, setIsAdding, job, choosing, ...setters };
	function show(id: string): void {
		setIsAdding(false);
		if (route.view === "animals") showPet(route, id);
		else go({ ...firstAnimals(), id });
	}
	/** When a message with the focus disappears, moves the focus to the animal's row, or to the heading. */
	function focus(id?: string): void {
		if (id === undefined || !focusRow(id)) document.querySelector("h1")?.focus({ preventScroll: true });
	}
	const mayUndo = session !== undefined && may(session, "pets:edit");
	return (
		<>
			{session ? (
				<SignedIn key={session.key} {...{ ...forms, edits, session, route, keep, signOut }} />
			) : (
				<>
					<Header route={route} />
					{isOpening ? (
						<main class="view">
							<Waiting isPending />
						</main>
					) : (
						<SignIn reason={reason} onSignIn={signIn} />
					)}
				</>
			)}
			<div class="messages" role="status">
				{(edits.messages.length > 0 || edits.progress) && (
					<LazyPart part={lazyMessages} props={{ edits, mayUndo, show: session && show, focus }} />
				)}
			</div>
		</>
	);
}

interface SignedInProps
	extends AddManyProps,
		Pick<AnimalsProps, "adding" | "setAdding" | "isAdding" | "setIsAdding" | "edits">,
		Pick<SessionState, "keep" | "signOut"> {
	route: Route;
}

function SignedIn(props: SignedInProps) {
	const { session, route, setIsAdding, job, keep, edits } = props;
	const [open, setOpen] = useState<"palette" | "sign-out">();
	const watch = useWatch(session);
	const categories = useCategories(session);
	// Leaving this view reloads the categories, because an import may have added animals and categories.
	useEffect(() => (route.view === "add-many" ? categories.reload : undefined), [route.view]);
	function signOut(): void {
		if (isUnderWay(job) || edits.underWay > 0) setOpen("sign-out");
		else props.signOut();
	}
	edits.setEditing({ session, labelOf: categories.labelOf });
	useSettled(edits, () => {
		watch.reload();
		categories.reload();
	});
	// The other modules are loaded later, because people wait for the first list.
	useEffect(() => {
		const timer = setTimeout(loadAll, idleAfterMs);
		return () => clearTimeout(timer);
	}, []);
	useCommands(() => [...commandsOf(session, startAdding), ...undoOf(session, edits)]);
	const openPalette = () => setOpen("palette");
	useShortcuts({ "Ctrl+k": openPalette, "?": openPalette });

	useEffect(() => {
		const warn = (event: Event) => isUnderWay(job) && event.preventDefault();
		addEventListener("beforeunload", warn);
		return () => removeEventListener("beforeunload", warn);
	}, [job]);

	/** The close event of a dialog arrives late: another dialog may already be open. */
	function close(dialog: typeof open): void {
		setOpen((now) => (now === dialog ? undefined : now));
	}

	const leaving = { signOut: props.signOut, onClose: () => close("sign-out") };

	function startAdding(): void {
		if (route.view !== "animals") go(firstAnimals());
		setIsAdding(true);
	}

	return (
		<CategoriesContext.Provider value={categories}>
			<Header route={route} signedIn={{ session, keep, signOut, openPalette }} />
			{route.view === "animals" ? (
				<Animals
					{...props}
					route={route}
					totals={watch.value?.animals}
					editCount={watch.value?.edits}
					isAway={watch.failure !== undefined}
					readTotals={watch.reload}
				/>
			) : route.view === "server" ? (
				<LazyView key="server" title="Server" part={lazyServer} props={{ session, watch }} />
			) : route.view === "changes" ? (
				<LazyView
					key={hashOf(route)}
					title="Changes"
					part={lazyChanges}
					props={{ session, route, edits, editCount: watch.value?.edits }}
				/>
			) : route.view === "add-many" ? (
				<LazyView key="add-many" title="Add many" part={lazyAddMany} props={props} />
			) : (
				<UnknownAddress />
			)}
			{open === "sign-out" && job && isUnderWay(job) && <LazyPart part={lazySignOut} props={{ job, ...leaving }} />}
			{open === "sign-out" && !isUnderWay(job) && <LazyPart part={lazyEndEdits} props={leaving} />}
			{open === "palette" && <LazyPart part={lazyPalette} props={{ route, onClose: () => close("palette") }} />}
		</CategoriesContext.Provider>
	);
}

const lazyServer = lazy(() => import("./session/server.tsx").then(({ Server }) => Server));
const lazyChanges = lazy(() => import("./edit/changes.tsx").then(({ Changes }) => Changes));
const lazyAddMany = lazy(() => import("./add/add-many.tsx").then(({ AddMany }) => AddMany));
const lazyPalette = lazy(() => import("./list/find-palette.tsx").then(({ FindPalette }) => FindPalette));
const lazyMessages = lazy(() => import("./edit/messages.tsx").then(({ Messages }) => Messages));
const lazyEndEdits = lazy(() => import("./edit/end-edits.tsx").then(({ EndEdits }) => EndEdits));
const lazySignOut = lazy(() => import("./add/sign-out.tsx").then(({ SignOut }) => SignOut));

function UnknownAddress() {
	return (
		<main id="main" class="view">
			<Heading>Nothing is at this address</Heading>
			<p>
				Perhaps the address lacks a letter. <a href={hashOf(firstAnimals())}>Show the animals</a>
			</p>
		</main>
	);
}

const idleAfterMs = 1_000;

const isEntered = ({ entries, unsettled }: Adding) => unsettled !== undefined || Object.values(entries).some(Boolean);
const isChosen = ({ text, file }: Choosing) => file !== undefined || text.trim() !== "";
const isUnderWay = (job: Job | undefined) => job !== undefined && job.state.phase !== "finished";

/** The command that undoes the latest step, in any view, even while that step is under way. */
function undoOf(session: Session, edits: Edits): Command[] {
	const what = edits.undoable;
	if (what === undefined || !may(session, "pets:edit")) return [];
	return [{ label: `Undo: ${what}`, keys: "Ctrl+z", isFirst: true, run: () => edits.undo() }];
}

function commandsOf(session: Session, add: () => void): Command[] {
	const writing: Command[] = [
		{ label: "Add animal", keys: "n", run: add },
		{ label: "Add many animals from a file", keys: "m", run: () => go({ view: "add-many" }) },
	];
	return [
		{ label: "Go to Animals", keys: "g a", run: () => go(firstAnimals()) },
		{ label: "Go to Changes", keys: "g c", run: () => go({ view: "changes" }) },
		{ label: "Go to the reference", keys: "g d", run: () => open("docs") },
		...(may(session, "pets:write") ? writing : []),
		{ label: `Turn single-key shortcuts ${areShortcutsOn() ? "off" : "on"}`, run: turnShortcuts },
	];
}
