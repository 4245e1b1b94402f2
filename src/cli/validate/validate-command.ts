import type { Command } from '../command.ts'
export const ValidateCommand: Command = null as never
