/** Snippets that behave differently on purpose, and why. */
export const differences: ReadonlyMap<string, string> = new Map([])
