import { Body, Response, reasonPhrase } from '#http'
import type { JsonObject, JsonValue } from '#json'
import type { ResultPage } from '../query/result-page.ts'
import { TimeSlices } from '../time-slices.ts'
import { type ApiVersions, isAtLeast } from './api-version.ts'
import type { Resource } from './endpoint.ts'
import { type Fields, resourceJson } from './fields.ts'
import { Refusal } from './refusal.ts'

const HEADERS = {
  'Content-Type': 'application/json; charset=UTF-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
}

export interface ResponseForm {
  readonly pretty: boolean
  readonly fields: Fields
  readonly versions: ApiVersions | null
}

/** JSON with `Cache-Control: no-store`. */
export function jsonResponse(
  status: number,
  json: JsonValue,
  form: Pick<ResponseForm, 'pretty' | 'versions'>,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const text = jsonText(json, form.pretty)
  return new Response(status, { headers: { ...HEADERS, ...versionHeader(form.versions), ...headers }, body: text })
}

function jsonText(json: JsonValue, pretty: boolean): string {
  return pretty ? `${JSON.stringify(json, null, 2)}\n` : JSON.stringify(json)
}

/** A resource with its revision as ETag. */
export function resourceResponse(
  status: number,
  resource: Resource,
  form: ResponseForm,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return jsonResponse(status, resourceJson(resource, form.fields), form, { ...etag(resource), ...headers })
}

/** 304: the client has the current revision. */
export function notModified(resource: Resource, { versions }: ResponseForm): Response {
  return new Response(304, { headers: { 'Cache-Control': 'no-store', ...versionHeader(versions), ...etag(resource) } })
}

export function noContent({ versions }: ResponseForm): Response {
  return new Response(204, { headers: { 'Cache-Control': 'no-store', ...versionHeader(versions) } })
}

/**
 * The page of a query. Yields to the event loop while many results are serialised. Clients that ask for a version before 2.2 read the
 * results as `result`, and get them under both names.
 */
export async function queryResponse(page: ResultPage<Resource>, form: ResponseForm): Promise<Response> {
  const { entries } = page
  const isOlder = form.versions !== null && !isAtLeast(form.versions, '2.2')
  const json: JsonObject = {
    ...(isOlder && { result: [] }),
    results: [],
    resultCount: page.count ?? entries.length,
    pagedResultsCookie: page.cookie,
    totalPagedResultsPolicy: page.countPolicy,
    totalPagedResults: page.total,
    remainingPagedResults: page.remaining,
  }
  const answer = jsonResponse(200, json, form)
  if (entries.length > 0) {
    const results = await resultsText(entries, form)
    const chunks: Buffer[] = []
    let rest = jsonText(json, form.pretty)
    for (const _ of isOlder ? ['result', 'results'] : ['results']) {
      const at = rest.indexOf(EMPTY)
      chunks.push(Buffer.from(rest.slice(0, at)), results)
      rest = rest.slice(at + EMPTY.length)
    }
    answer.body = Body.of(Buffer.concat([...chunks, Buffer.from(rest)]))
  }
  return answer
}

/** Texts that are joined at once. */
const JOINED = 256

/** In place of the results, which are serialised in slices. */
const EMPTY = '[]'

/** The list of results, as a member of the response. */
async function resultsText(entries: readonly Resource[], form: ResponseForm): Promise<Buffer> {
  const [between, end] = form.pretty ? [',\n    ', '\n  '] : [',', '']
  const chunks = [Buffer.from('[')]
  const turns = new TimeSlices()
  for (let from = 0; from < entries.length; from += JOINED) {
    const texts = entries.slice(from, from + JOINED).map((resource) => {
      const text = JSON.stringify(resourceJson(resource, form.fields), null, form.pretty ? 2 : 0)
      return form.pretty ? text.replaceAll('\n', '\n    ') : text
    })
    const before = from === 0 ? between.slice(1) : between
    chunks.push(Buffer.from(before + texts.join(between)))
    if (turns.isOver) await turns.next()
  }
  chunks.push(Buffer.from(`${end}]`))
  return Buffer.concat(chunks)
}

/** An error (spec gap 28). */
export function errorResponse({ status, message, detail, headers }: Refusal, pretty: boolean, cause?: Error): Response {
  const json: JsonObject = { code: status, reason: reasonPhrase(status), message }
  if (detail !== undefined) json['detail'] = detail
  const response = jsonResponse(status, json, { pretty, versions: null }, headers)
  if (cause !== undefined) response.cause = cause
  return response
}

/** An error of a path without a collection. */
export function crestError(status: number, message: string, headers: Record<string, string> = {}): Response {
  return errorResponse(new Refusal(status, message, { headers }), false)
}

/** The header with the versions of the response. */
export function versionHeader(versions: ApiVersions | null): Record<string, string> {
  if (versions === null) return {}
  return { 'Content-API-Version': `protocol=${versions.protocol},resource=${versions.resource}` }
}

function etag({ revision }: Resource): Record<string, string> {
  return revision === null ? {} : { ETag: `"${revision}"` }
}
