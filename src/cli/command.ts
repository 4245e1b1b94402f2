import type { Arguments } from './arguments.ts'
import type { ProcessContext } from './process-context.ts'

/** An option of a command, as its help shows it. */
export interface CommandOption {
  /** Name without dashes. */
  readonly name: string
  readonly short?: string
  /** What stands for the value in the help; an option without it is a switch. */
  readonly value?: string
  /** Whether it may be given more than once. */
  readonly repeated?: boolean
  readonly description: string
}

/** A command of the gateway: what it takes, what its help says, what it does. */
export interface Command {
  /** Forms of the command line, without the leading `gateway`. */
  readonly usage: readonly string[]
  /** Paragraphs that say what it does. */
  readonly description: readonly string[]
  readonly options: readonly CommandOption[]
  /** How many words beside the options it takes. */
  readonly operands: { readonly least: number; readonly most: number }
  readonly examples: readonly { readonly line: string; readonly note: string }[]
  /** What its exit codes mean, beside 0 and 64. */
  readonly exits: readonly (readonly [code: number, meaning: string])[]
  run(args: Arguments, context: ProcessContext): Promise<number>
}
