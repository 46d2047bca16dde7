// The part of highlight.js that the build uses. The package's own types would declare browser globals in Node's code.

declare const hljs: {
	configure(options: { classPrefix: string }): void;
	highlight(code: string, options: { language: string }): { value: string };
};
export default hljs;
