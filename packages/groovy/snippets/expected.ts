// Recorded outcomes of the real Groovy: one file for each topic, one line for each snippet.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Outcome } from './outcome.ts'

const folder = join(import.meta.dirname, 'expected')
const fileOf = (topic: string): string => join(folder, `${topic}.json`)

type Row = readonly [snippet: string, kind: Outcome['kind'], name: string, text: string, printed?: string]

export function readExpected(topic: string): Map<string, Outcome> {
  if (!existsSync(fileOf(topic))) return new Map()
  const rows = JSON.parse(readFileSync(fileOf(topic), 'utf8')) as Row[]
  return new Map(
    rows.map(([snippet, kind, name, text, printed = '']) => [snippet, { kind, class: name, text, printed }]),
  )
}

export function writeExpected(topic: string, outcomes: ReadonlyMap<string, Outcome>): void {
  const rows = Array.from(
    outcomes,
    ([snippet, { kind, class: name, text, printed }]): Row =>
      printed === '' ? [snippet, kind, name, text] : [snippet, kind, name, text, printed],
  )
  writeFileSync(fileOf(topic), `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`)
}
