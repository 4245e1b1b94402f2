import { Refusal } from '#crest'
import { type JsonObject, type JsonValue, setOwn } from '#json'
import type { RouteEdit } from '../../routes/edits.ts'
import { MAX_ROUTE_FILE, parseRouteFile, type RouteFile } from '../../routes/route-files.ts'
import type { LocatedProblem } from '../../routes/route-problems.ts'
import { contentOf } from './route-resources.ts'

/** Fields of a resource that are not stored in its file. */
const NOT_STORED: ReadonlySet<string> = new Set(['_id', '_file', '_status', '_history', '_served', '_sourceRev'])

/** As for a body of JSON: very many values are slow to build. */
const MAX_VALUES = 10_000

/** The edit that stores a route, from its fields or from its text; a refusal where it is not a route. */
export function edit(file: string, id: string, content: JsonObject): RouteEdit | Refusal {
  if (Object.hasOwn(content, '_source')) return editOfText(file, id, content)
  const stored: JsonObject = { _id: id }
  for (const [key, value] of Object.entries(content)) if (!NOT_STORED.has(key)) setOwn(stored, key, value)
  const text = `${JSON.stringify(stored, null, 2)}\n`
  if (Buffer.byteLength(text) > MAX_ROUTE_FILE) {
    return new Refusal(413, 'the file of this route would be larger than 4 MiB; nothing has changed')
  }
  const next = parseRouteFile(file, text, '')
  return next.route === null ? notLoaded(next.problems) : { file, next }
}

/** The edit that stores an earlier text unchanged, where it is the same route in this file. */
export function restored(file: string, id: string, text: string): RouteEdit | Refusal {
  const next = parseRouteFile(file, text, '')
  if (next.route === null) return notLoaded(next.problems)
  return next.route.id === id ? { file, next } : edit(file, id, contentOf(next))
}

/** The `_id` in the text of a new route; null without an `_id` or a text. */
export function idInText({ _source: text }: JsonObject): string | null {
  if (typeof text !== 'string') return null
  const value = parseRouteFile('route.json', text, '').route?.document.value as JsonObject | undefined
  return typeof value?.['_id'] === 'string' ? value['_id'] : null
}

/** The problems of a route that does not load, with positions where its author wrote the text. */
export function notLoaded(problems: readonly LocatedProblem[], written: RouteFile | null = null): Refusal {
  const list = problems.map((problem) => describe(problem, written))
  return new Refusal(400, 'the route does not load; nothing has changed', { detail: { problems: list } })
}

/** A problem in a response. */
export function describe({ pointer, message, line, column }: LocatedProblem, written: RouteFile | null): JsonObject {
  const found = written?.route?.document.locate(pointer)
  const position = line === undefined ? found : { line, column: column ?? 1 }
  return { pointer, message, ...(position !== undefined && { line: position.line, column: position.column }) }
}

/** Stores a text byte for byte, with its comments (decisions 11). */
function editOfText(file: string, id: string, { _source: text, ...others }: JsonObject): RouteEdit | Refusal {
  const beside = Object.keys(others).find((name) => !NOT_STORED.has(name))
  if (beside !== undefined) {
    const shown = JSON.stringify(beside.slice(0, 40))
    return notLoaded([{ pointer: `/${beside}`, message: `_source is the whole route; expected no ${shown} beside it` }])
  }
  if (typeof text !== 'string') return notLoaded([atStart('_source: expected the text of a route')])
  // Half a pair can not be written as UTF-8.
  if (!text.isWellFormed()) return notLoaded([atStart('_source: expected Unicode text, got half of a surrogate pair')])
  if (Buffer.byteLength(text) > MAX_ROUTE_FILE) return notLoaded([atStart('_source: the text is larger than 4 MiB')])
  const next = parseRouteFile(file, text, '')
  if (next.route === null) return notLoaded(next.problems)
  if (countValues(next.route.document.value) > MAX_VALUES) {
    return notLoaded([atStart(`_source: the route has more than ${MAX_VALUES} values`)])
  }
  if (next.route.id === id) return { file, next, isText: true }
  const message = `expected ${JSON.stringify(id)}, got ${JSON.stringify(next.route.id)}`
  const isNamed = Object.hasOwn(next.route.document.value as JsonObject, '_id')
  const hint = isNamed ? '' : `, by the name of its file ${file}; add the _id`
  return notLoaded([{ pointer: '/_id', message: message + hint }], next)
}

function atStart(message: string): LocatedProblem {
  return { pointer: '', message, line: 1, column: 1 }
}

function countValues(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const member of Object.values(value)) count += countValues(member)
  return count
}
