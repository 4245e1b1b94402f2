import type { Command } from '../command.ts'
export const DemoCommand: Command = null as never
