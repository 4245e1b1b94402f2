// docs/man/gateway.1, generated from the definitions of the commands.
import { SHARED_OPTIONS } from '../src/cli/arguments.ts'
import type { Command, CommandEntry } from '../src/cli/command.ts'
import { COMMANDS } from '../src/cli/commands.ts'
import { optionForm, SHARED_EXITS } from '../src/cli/help.ts'

/** Path of the page in the repository; `man` of package.json. */
export const MAN_PAGE = 'docs/man/gateway.1'

const EXITS: readonly (readonly [number, string])[] = [
  [0, 'success'],
  [1, 'failed; of diff: different'],
  [2, 'forced stop'],
  [64, 'invalid command line'],
  [69, 'a running gateway can not be reached'],
  [74, 'output can not be written'],
  [78, 'configuration that can not be used'],
]

const VARIABLES: readonly (readonly [string, string])[] = [
  ['GATEWAY_INSTANCE_DIR', 'The instance directory, where --instance is not given.'],
  ['GATEWAY_STATE_DIR', 'The state directory, where --state is not given.'],
  ['GATEWAY_ADMIN_URL', 'The management connector of a running gateway, where --gateway is not given.'],
  ['GATEWAY_ADMIN_PASSWORD', 'The admin password, where the instance has no secrets/gateway.admin.password.'],
  ['GATEWAY_RUN_MODE', 'PRODUCTION or DEVELOPMENT, where admin.json has no mode.'],
  ['GATEWAY_LOG_LEVEL', 'The level of the log, where admin.json has none.'],
  ['JAVA_OPTS', 'System properties as -Dname=value.'],
  ['NO_COLOR, FORCE_COLOR', 'Switch colours off, or on where the output is no terminal.'],
]

const FILES: readonly (readonly [string, string])[] = [
  ['~/.gateway', 'The default instance directory.'],
  ['config/admin.json', 'Connectors and settings of the gateway.'],
  ['config/config.json', 'The root handler and its objects.'],
  ['config/routes/*.json', 'Routes.'],
  ['secrets/gateway.admin.password', 'The password of the management API.'],
]

export async function manPage(): Promise<string> {
  const lines = [
    `.\\" Made by \`npm run generate\` from the commands in src/cli. Do not edit.`,
    '.TH GATEWAY 1 "" "Identity Gateway" "User Commands"',
    '.SH NAME',
    'gateway \\- identity\\-aware reverse proxy',
    '.SH SYNOPSIS',
    '.B gateway',
    '.I command',
    '.RI [ options ]',
    '.SH DESCRIPTION',
    ...paragraph(
      'Runs in front of applications and APIs, matches each request to a route and runs the filters of that route: authentication, authorization, throttling, rewriting. Routes are JSON files and are reloaded without interrupting traffic.',
    ),
    '.PP',
    ...paragraph('Every command has the options --help and --json.'),
    '.SH COMMANDS',
    ...(await Promise.all(COMMANDS.map(async (entry) => commandLines(entry, await entry.load())))).flat(),
    '.SH EXIT STATUS',
    ...EXITS.flatMap(([code, meaning]) => definition(String(code), meaning)),
    '.SH ENVIRONMENT',
    ...VARIABLES.flatMap(([name, meaning]) => definition(name, meaning)),
    '.SH FILES',
    ...FILES.flatMap(([name, meaning]) => definition(name, meaning)),
    '.SH SEE ALSO',
    ...paragraph('The guides in docs/guide of the package, and the reference of object types in docs/reference.'),
  ]
  return `${lines.join('\n')}\n`
}

function commandLines({ name, summary }: CommandEntry, command: Command): string[] {
  const own = [...command.options, ...SHARED_OPTIONS]
  const exits = [...command.exits, ...SHARED_EXITS].toSorted(([a], [b]) => a - b)
  return [
    `.SS ${escaped(`gateway ${name}`)}`,
    ...paragraph(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`),
    ...command.usage.flatMap((form) => ['.PP', '.nf', `\\fBgateway ${escaped(form)}\\fR`, '.fi']),
    ...command.description.flatMap((text) => ['.PP', ...paragraph(text)]),
    ...own.flatMap((option) => definition(optionForm(option).trim(), option.description)),
    '.PP',
    'Exit status:',
    ...exits.flatMap(([code, meaning]) => definition(String(code), meaning)),
    '.PP',
    'Examples:',
    ...command.examples.flatMap(({ line, note }) => [
      '.PP',
      ...paragraph(`${note}:`),
      '.RS',
      '.nf',
      text(line),
      '.fi',
      '.RE',
    ]),
  ]
}

function definition(term: string, meaning: string): string[] {
  return ['.TP', `.B ${quoted(term)}`, ...paragraph(meaning)]
}

function paragraph(words: string): string[] {
  return [text(words)]
}

/** A line of text; a control character at its start would make it a request. */
function text(line: string): string {
  const safe = escaped(line)
  return /^[.']/.test(safe) ? `\\&${safe}` : safe
}

/** An argument of a macro. */
function quoted(argument: string): string {
  return `"${escaped(argument).replaceAll('"', '""')}"`
}

/** Characters as typed: groff would print others for hyphens, quotes, carets and tildes. */
function escaped(words: string): string {
  return words.replace(/[\\\-'`^~]/g, (character) => ESCAPES[character] as string)
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
}
