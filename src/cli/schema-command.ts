import type { Command } from './command.ts'
export const SchemaCommand: Command = null as never
