// Scripts as trees, for hosts that read them.
export type * from './ast.ts'
export { parseScript } from './parser.ts'
