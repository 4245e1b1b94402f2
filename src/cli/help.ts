import { SHARED_OPTIONS } from './arguments.ts'
import type { Command } from './command.ts'
import type { CommandOption } from './command-syntax.ts'
import type { CommandEntry } from './commands.ts'
import { EXIT } from './exit-codes.ts'
import { aligned, type Paint } from './terminal.ts'

const WIDTH = 80

/** Exit codes that every command has. */
const SHARED_EXITS: Command['exits'] = [
  [EXIT.ok, 'success'],
  [EXIT.usage, 'the command line was not understood'],
]

/** Output of `gateway` alone: every command in a line, and where to begin. */
export function overview(commands: readonly CommandEntry[], version: string, paint: Paint): string {
  const rows = commands.map(({ name, summary }) => [`  ${name}`, summary])
  return [
    `Identity Gateway ${version}: a reverse proxy that decides who gets through.`,
    '',
    `${paint('bold', 'Usage:')} gateway COMMAND [OPTIONS]`,
    '',
    paint('bold', 'Commands:'),
    ...aligned(rows),
    '',
    paint('bold', 'To begin:'),
    ...aligned([
      ['  gateway demo', 'try it, nothing to configure'],
      ['  gateway init my-gateway', 'make an instance of your own'],
      ['  gateway COMMAND --help', 'what a command does, with examples'],
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

function optionForm({ name, short, value }: CommandOption): string {
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
