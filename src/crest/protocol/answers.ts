import { Response, reasonPhrase } from '#http'
import type { JsonObject, JsonValue } from '#json'
import type { ResultPage } from '../query/result-page.ts'
import type { ApiVersions } from './api-version.ts'
import type { Resource } from './endpoint.ts'
import { type Fields, resourceJson } from './fields.ts'
import type { Refusal } from './refusal.ts'

const HEADERS = {
  'Content-Type': 'application/json; charset=UTF-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
}

/** How answers are written. */
export interface AnswerForm {
  readonly pretty: boolean
  readonly fields: Fields
  readonly versions: ApiVersions | null
}

/** A JSON answer; never cached. */
export function jsonAnswer(
  status: number,
  json: JsonValue,
  form: Pick<AnswerForm, 'pretty' | 'versions'>,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const text = form.pretty ? `${JSON.stringify(json, null, 2)}\n` : JSON.stringify(json)
  return new Response(status, { headers: { ...HEADERS, ...versionHeader(form.versions), ...headers }, body: text })
}

/** A resource with its revision as ETag. */
export function resourceAnswer(
  status: number,
  resource: Resource,
  form: AnswerForm,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return jsonAnswer(status, resourceJson(resource, form.fields), form, { ...etag(resource), ...headers })
}

/** 304: the client has the current revision. */
export function notModified(resource: Resource, { versions }: AnswerForm): Response {
  return new Response(304, { headers: { 'Cache-Control': 'no-store', ...versionHeader(versions), ...etag(resource) } })
}

/** 204: done, and nothing to return. */
export function noContent({ versions }: AnswerForm): Response {
  return new Response(204, { headers: { 'Cache-Control': 'no-store', ...versionHeader(versions) } })
}

/** The page of a query. */
export function pageAnswer(page: ResultPage<Resource>, form: AnswerForm): Response {
  const results = page.entries.map((resource) => resourceJson(resource, form.fields))
  const json: JsonObject = {
    results,
    resultCount: page.count ?? results.length,
    pagedResultsCookie: page.cookie,
    totalPagedResultsPolicy: page.countPolicy,
    totalPagedResults: page.total,
    remainingPagedResults: page.remaining,
  }
  return jsonAnswer(200, json, form)
}

/** An error (spec gap 28). */
export function errorAnswer({ status, message, detail, headers }: Refusal, pretty: boolean, cause?: Error): Response {
  const json: JsonObject = { code: status, reason: reasonPhrase(status), message }
  if (detail !== undefined) json['detail'] = detail
  const response = jsonAnswer(status, json, { pretty, versions: null }, headers)
  if (cause !== undefined) response.cause = cause
  return response
}

/** The versions an answer is in, as a header. */
export function versionHeader(versions: ApiVersions | null): Record<string, string> {
  if (versions === null) return {}
  return { 'Content-API-Version': `protocol=${versions.protocol},resource=${versions.resource}` }
}

function etag({ revision }: Resource): Record<string, string> {
  return revision === null ? {} : { ETag: `"${revision}"` }
}
