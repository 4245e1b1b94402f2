import type { Command } from '../command.ts'
export const EvalCommand: Command = null as never
