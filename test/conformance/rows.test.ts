// Every table row of the specification is named by a test of this folder: in a title, or in a table of cases from which titles are made.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const specification = join(import.meta.dirname, '../../../shared/spec/gateway-spec.md')
const skip = existsSync(specification) ? false : 'no specification beside the checkout'

interface Row {
  readonly section: string
  readonly name: string
}

/** The rows of all tables, by the first cell. */
function rowsOf(markdown: string): Row[] {
  const rows: Row[] = []
  let section = ''
  let place: 'text' | 'head' | 'rows' = 'text'
  for (const line of markdown.split('\n')) {
    if (line.startsWith('#')) section = line.replace(/^#+ /, '')
    if (!line.startsWith('|')) place = 'text'
    else if (place === 'text') place = 'head'
    else if (place === 'head') place = 'rows'
    else rows.push({ section, name: plain(line.split(/(?<!\\)\|/)[1] as string) })
  }
  return rows
}

/** Literals, and names of cases whose values follow as a list or an object. */
function namesIn(source: string): string[] {
  const code = source.replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '')
  const literals = code.match(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g) ?? []
  const cases = code.match(/^\s*\w+(?=: [[{])/gm) ?? []
  return [...literals, ...cases].map(plain)
}

function plain(text: string): string {
  return text
    .replace(/[`*\\]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
}

function unnamed(rows: readonly Row[], names: readonly string[]): string[] {
  return rows.filter(({ name }) => !names.some((each) => hasWords(each, name))).map(describeRow)
}

function hasWords(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const around = `${text[at - 1] ?? ' '}${text[at + name.length] ?? ' '}`
    if (!/[\w-]/.test(around)) return true
  }
  return false
}

function describeRow({ section, name }: Row): string {
  return `${section}: ${name}`
}

test('every table row of the specification is named by a test', { skip }, () => {
  const rows = rowsOf(readFileSync(specification, 'utf8'))
  assert.ok(rows.length >= 250, `${rows.length} rows`)
  const files = globSync('*.test.ts', { cwd: import.meta.dirname }).filter((file) => file !== 'rows.test.ts')
  const names = files.flatMap((file) => namesIn(readFileSync(join(import.meta.dirname, file), 'utf8')))
  assert.deepEqual(unnamed(rows, names), [])
})

test('a row that no test names is reported', () => {
  const table = '## Limits\n| Limit | Value |\n|---|---|\n| `size` | 1 |\n| Page `size` | 2 |\n'
  const rows = rowsOf(table)
  assert.deepEqual(rows.map(describeRow), ['Limits: size', 'Limits: page size'])
  assert.deepEqual(unnamed(rows, namesIn("test('size: one', () => {})\n// Page size")), ['Limits: page size'])
})
