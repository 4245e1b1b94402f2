// The syntax tree, exported for hosts that analyse scripts.
export type * from './ast.ts'
export { parseScript } from './parser.ts'
