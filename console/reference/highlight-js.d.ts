// The part of highlight.js that the build uses. The package's own types would add those of browsers to Node's programs.

declare const hljs: {
	configure(options: { classPrefix: string }): void;
	highlight(code: string, options: { language: string }): { value: string };
};
export default hljs;
