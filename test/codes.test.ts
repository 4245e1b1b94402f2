// Codes of errors and of log events: in use, in a table, and on a reference page.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { errorCodes, logEvents } from '../scripts/code-pages.ts'
import { declaredMetrics } from '../scripts/metrics-page.ts'
import { root } from '../scripts/steps.ts'

const errors = errorCodes()
const events = await logEvents()
const sources = globSync('{src,packages}/**/*.ts', { cwd: root })
  .filter((path) => !/(?:\.test|log-events)\.ts$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

test('codes are unique', () => {
  const codes = [...errors, ...events].map(({ code }) => code)
  assert.ok(codes.length > 100, `${codes.length} codes were found`)
  assert.deepEqual(
    codes.filter((code, at) => codes.indexOf(code) !== at),
    [],
  )
})

test('every error code used in the source is in the table of a folder, and every code of a table is used', () => {
  const used = new Set(
    sources.flatMap(({ text }) => text.match(/(?<=['`])GW_[A-Z0-9_]+(?=['`])|\bGW_[A-Z0-9_]+(?=:)/g) ?? []),
  )
  const listed = errors.map(({ code }) => code)
  const area = new Set(events.map(({ code }) => code))
  assert.deepEqual([...used].filter((code) => !listed.includes(code) && !area.has(code)).sort(), [])
  assert.deepEqual(
    listed.filter((code) => !used.has(code)),
    [],
  )
})

test('every log event is used', () => {
  const all = globSync('{src,packages}/**/*.ts', { cwd: root })
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n')
  const names = new Set(Array.from(all.matchAll(/\b(?:[A-Z]+_)?EVENTS\.([A-Z0-9_]+)\b/g), ([, name]) => name))
  assert.deepEqual(
    events.filter(({ code }) => ![...names].some((name) => code.endsWith(`_${name}`))).map(({ code }) => code),
    [],
  )
})

test('meaning and action of each code are sentences', () => {
  for (const { code, meaning, action } of [...errors, ...events]) {
    assert.match(meaning, /^[A-Z\x60].*\.$/s, code)
    assert.match(action, /^[A-Z\x60].*\.$/s, code)
  }
})

/** Names of cookies, which begin as metrics do. */
const COOKIES: ReadonlySet<string> = new Set(['gw_server'])

test('every metric named in the source has a help text on the reference page', () => {
  const known = new Set(declaredMetrics().map(({ name }) => name))
  const named = sources.flatMap(({ text }) => text.match(/(?<=')(?:gw|process)_[a-z0-9_]+(?=')/g) ?? [])
  assert.deepEqual(
    [...new Set(named)].filter((name) => !known.has(name) && !COOKIES.has(name)),
    [],
  )
})
