// docs/reference/errors.md and log-events.md, generated from the tables error-codes.json and log-events.ts of each folder.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { LogEvent } from '#logging'
import { root } from './steps.ts'

export const ERRORS_PAGE = 'docs/reference/errors.md'
export const LOG_EVENTS_PAGE = 'docs/reference/log-events.md'

/** A row of a table: code, meaning for traffic, and action. */
export interface CodeNote {
  readonly folder: string
  readonly code: string
  readonly message?: string
  readonly meaning: string
  readonly action: string
}

/** All error codes, in the order of folders and codes. */
export function errorCodes(): readonly CodeNote[] {
  return tables('error-codes.json').flatMap((path) => {
    const notes = JSON.parse(readFileSync(join(root, path), 'utf8')) as Record<
      string,
      Omit<CodeNote, 'folder' | 'code'>
    >
    return Object.entries(notes).map(([code, note]) => ({ ...note, folder: dirname(path), code }))
  })
}

/** All events of log entries of level warn or error. */
export async function logEvents(): Promise<readonly CodeNote[]> {
  const events = tables('*log-events.ts').map(async (path) => {
    const values = (await import(pathToFileURL(join(root, path)).href)) as Record<string, object>
    const found = new Set(Object.values(values).flatMap((table) => Object.values(table)))
    return [...found]
      .filter((event) => event instanceof LogEvent)
      .map(({ code, message, meaning, action }) => ({ folder: dirname(path), code, message, meaning, action }))
  })
  return (await Promise.all(events)).flat()
}

function tables(file: string): string[] {
  const paths = globSync(`{src,packages}/**/${file}`, { cwd: root })
  return paths.map((path) => path.split(sep).join('/')).sort()
}

export function errorsPage(): string {
  const introduction = `# Error codes

The \`code\` of an error, as in \`error.code\` of log entries and of the attributes that filters and scripts see. A code keeps its
meaning between releases.
`
  return page(introduction, errorCodes(), ({ code, meaning, action }) => [`\`${code}\``, meaning, action])
}

export async function logEventsPage(): Promise<string> {
  const introduction = `# Log events

Every log entry of level \`warn\` or \`error\` has a \`code\`. It keeps its meaning between releases, while messages may get clearer:
alerts and runbooks should name the code.
`
  return page(introduction, await logEvents(), ({ code, message, meaning, action }) => [
    `\`${code}\``,
    message ?? '',
    meaning,
    action,
  ])
}

function page(introduction: string, notes: readonly CodeNote[], cells: (note: CodeNote) => string[]): string {
  const mark = '<!-- Made by `npm run generate` from the tables in src. Do not edit. -->'
  const heads =
    cells({ folder: '', code: '', meaning: '', action: '' }).length === 3
      ? HEADS
      : [HEADS[0]!, 'Message', ...HEADS.slice(1)]
  const sections = [...Map.groupBy(notes, ({ folder }) => folder)].map(([folder, rows]) => {
    const lines = rows.map((note) => `| ${cells(note).map(escaped).join(' | ')} |`)
    return `## ${folder}\n\n| ${heads.join(' | ')} |\n|${'---|'.repeat(heads.length)}\n${lines.join('\n')}\n`
  })
  return [mark, introduction, ...sections].join('\n\n').replaceAll('\n\n\n', '\n\n')
}

const HEADS: readonly string[] = ['Code', 'Meaning', 'What to do']

function escaped(text: string): string {
  return text.replaceAll('|', '\\|')
}
