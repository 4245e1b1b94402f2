import type { Command } from '../command.ts'
export const ExplainCommand: Command = null as never
