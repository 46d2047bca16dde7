// Everything that opens over the page, in one file that is loaded at the first key press or pointer move.

export { CategoryMenu, NameMenu } from "./category-menu.tsx";
export { DeskParts, SelectionBar } from "./desk-parts.tsx";
export { Palette } from "./palette.tsx";
export { Popover } from "./popover.tsx";
export { SignOut } from "./questions.tsx";
