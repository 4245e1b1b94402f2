import { SHARED_OPTIONS } from './arguments.ts'
import type { Command, CommandEntry } from './command.ts'
import type { CommandOption } from './command-syntax.ts'
import { EXIT } from './exit-codes.ts'
import { aligned, type Paint } from './terminal.ts'

const WIDTH = 80

/** Exit codes that every command has. */
export const SHARED_EXITS: Command['exits'] = [
  [EXIT.ok, 'success'],
  [EXIT.usage, 'invalid command line'],
]

/** Output of `gateway` without a command: one line for each command, and first steps. */
export function overview(commands: readonly CommandEntry[], version: string, paint: Paint): string {
  const rows = commands.map(({ name, summary }) => [`  ${name}`, summary])
  return [
    `Identity Gateway ${version}: an identity-aware reverse proxy.`,
    '',
    `${paint('bold', 'Usage:')} gateway COMMAND [OPTIONS]`,
    '',
    paint('bold', 'Commands:'),
    ...aligned(rows),
    '',
    paint('bold', 'Getting started:'),
    ...aligned([
      ['  gateway demo', 'try it without configuration'],
      ['  gateway init my-gateway', 'create an instance'],
      ['  gateway COMMAND --help', 'help of a command, with examples'],
    ]),
    '',
  ].join('\n')
}

/** The help of one command. */
export function helpOf({ name, summary }: CommandEntry, command: Command, paint: Paint): string {
  const options = [...command.options, ...SHARED_OPTIONS].map((option) => [
    `  ${optionForm(option)}`,
    option.description,
  ])
  const exits = [...command.exits, ...SHARED_EXITS].toSorted(([a], [b]) => a - b)
  const examples = command.examples.flatMap(({ line, note }) => [`  # ${note}`, `  ${line}`])
  return [
    `${paint('bold', `gateway ${name}`)}: ${summary}`,
    '',
    paint('bold', 'Usage:'),
    ...command.usage.map((form) => `  gateway ${form}`),
    '',
    ...command.description.flatMap((paragraph) => [...wrapped(paragraph), '']),
    paint('bold', 'Options:'),
    ...aligned(options),
    '',
    paint('bold', 'Exit codes:'),
    ...aligned(exits.map(([code, meaning]) => [`  ${code}`, meaning])),
    '',
    paint('bold', 'Examples:'),
    ...examples,
    '',
  ].join('\n')
}

export function optionForm({ name, short, value }: CommandOption): string {
  const long = value === undefined ? `--${name}` : `--${name} ${value}`
  return short === undefined ? `    ${long}` : `-${short}, ${long}`
}

function wrapped(paragraph: string): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of paragraph.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > WIDTH) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
