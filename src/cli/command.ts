import type { Arguments } from './arguments.ts'
import type { CommandSyntax } from './command-syntax.ts'
import type { ProcessContext } from './process-context.ts'

/** A command of the gateway: arguments, help and action. */
export interface Command extends CommandSyntax {
  /** Paragraphs of the help. */
  readonly description: readonly string[]
  readonly examples: readonly { readonly line: string; readonly note: string }[]
  /** Its exit codes beside 0 and 64. */
  readonly exits: readonly (readonly [code: number, meaning: string])[]
  run(args: Arguments, context: ProcessContext): Promise<number>
}

/** A command by its name. Its modules are loaded when it runs, so that small commands start fast. */
export interface CommandEntry {
  readonly name: string
  /** One-line summary. */
  readonly summary: string
  load(): Promise<Command>
}
