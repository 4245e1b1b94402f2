import { SHARED_OPTIONS } from '../arguments.ts'
import type { Command, CommandEntry } from '../command.ts'
import type { CommandOption, Completion } from '../command-syntax.ts'

/** An option as shells complete it. */
export interface CompletedOption {
  readonly name: string
  readonly short: string | null
  readonly description: string
  /** Null for an option without a value. */
  readonly value: Completion | null
  /** Placeholder of the value. */
  readonly placeholder: string
}

/** A command as shells complete it. */
export interface CompletedCommand {
  readonly name: string
  readonly summary: string
  readonly options: readonly CompletedOption[]
  /** The first operand, and those after it. */
  readonly first: Completion
  readonly rest: Completion
}

/** Loads every command, and derives its completions from its definition. */
export async function completedCommands(entries: readonly CommandEntry[]): Promise<readonly CompletedCommand[]> {
  const commands = await Promise.all(
    entries.map(async (entry) => completed(entry.name, entry.summary, await entry.load())),
  )
  const names = entries.map(({ name }) => name)
  return [...commands, { name: 'help', summary: 'show the help of a command', options: [], first: names, rest: 'none' }]
}

function completed(name: string, summary: string, { options, operands }: Command): CompletedCommand {
  const { most, complete = 'none', completeRest = complete } = operands
  return {
    name,
    summary,
    options: [...options, ...SHARED_OPTIONS].map(completedOption),
    first: most > 0 ? complete : 'none',
    rest: most > 1 ? completeRest : 'none',
  }
}

function completedOption(option: CommandOption): CompletedOption {
  const { name, short = null, value, description } = option
  return { name, short, description, value: value === undefined ? null : valuesOf(option), placeholder: value ?? '' }
}

/** FILE and DIR are completed as such. */
function valuesOf({ complete, value }: CommandOption): Completion {
  if (complete !== undefined) return complete
  if (value === 'FILE') return 'file'
  return value === 'DIR' ? 'directory' : 'none'
}
