// What is shown over the page: in one file, which is loaded with the first key or move of the pointer.

export { CategoryMenu, NameMenu } from "./category-menu.tsx";
export { DeskParts } from "./desk-parts.tsx";
export { Palette } from "./palette.tsx";
export { SelectionBar } from "./selection-bar.tsx";
