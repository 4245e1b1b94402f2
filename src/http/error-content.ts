import { Body } from './body.ts'
import { escapeHtml, PAGE_HEADERS, pageHtml, requestIdParagraph } from './gateway-page.ts'
import type { Response } from './response.ts'
import { reasonPhrase } from './status.ts'

/** Format of the content of error responses that the gateway makes. */
export type ErrorFormat = 'html' | 'json' | 'none'

/** Text of a page by status; that of its class where it has none. */
const TEXTS: Readonly<Record<number, string>> = {
  401: 'You have to log in to see this page.',
  403: 'You may not see this page.',
  404: 'There is no page at this address.',
  405: 'This page can not be used in this way.',
  408: 'The request did not arrive in time.',
  413: 'The request is too large.',
  414: 'The address is too long.',
  429: 'There were too many requests. Try again in a moment.',
  431: 'The request has too many or too large header fields. Deleting the cookies of this site may help.',
  502: 'The application behind this page could not be reached.',
  503: 'The service is not available at the moment. Try again in a few seconds.',
  504: 'The application behind this page did not respond in time.',
}
const CLIENT_ERROR = 'The request can not be processed.'
const SERVER_ERROR = 'Something went wrong while the page was prepared.'

/** Replaces the content of an error response; its status and its other fields stay. */
export function setErrorContent(response: Response, format: ErrorFormat, transactionId: string): void {
  const detail = errorDetail(response)
  const { headers } = response
  if (format === 'none') {
    headers.delete('Content-Type')
    response.body = Body.of('')
    return
  }
  const fields = format === 'html' ? PAGE_HEADERS : PROBLEM_HEADERS
  for (const [name, value] of Object.entries(fields)) headers.set(name, value)
  headers.set('X-Content-Type-Options', 'nosniff')
  const content = format === 'html' ? errorPage : problemDetails
  response.body = Body.of(content(response.status, detail, transactionId))
}

const PROBLEM_HEADERS = { 'Cache-Control': 'no-store', 'Content-Type': 'application/problem+json' }

function errorPage(status: number, detail: string | null, transactionId: string): string {
  const text = TEXTS[status] ?? (status < 500 ? CLIENT_ERROR : SERVER_ERROR)
  return pageHtml(`${status} ${reasonPhrase(status)}`.trim(), [
    `<p>${text}</p>`,
    ...(detail === null ? [] : [`<p>${escapeHtml(detail)}</p>`]),
    requestIdParagraph(transactionId),
  ])
}

/** RFC 9457. */
function problemDetails(status: number, detail: string | null, transactionId: string): string {
  const title = reasonPhrase(status)
  return JSON.stringify({ type: 'about:blank', title, status, ...(detail !== null && { detail }), transactionId })
}

/** The plain text of a response, where it says more than its status. */
export function errorDetail({ status, body }: Response): string | null {
  const text = body.isBuffered ? body.text().trim() : ''
  return text === '' || text === reasonPhrase(status) ? null : text
}

const HTML = /^(?:text\/html|application\/xhtml\+xml)$/
const JSON_TYPE = /^application\/(?:[a-z0-9.-]+\+)?json$/
const MAX_ACCEPT = 1_024

/**
 * The format that an Accept header prefers; null where it names neither HTML nor JSON: a client that accepts anything gets plain
 * text.
 */
export function acceptedFormat(accept: string | null): 'html' | 'json' | null {
  if (accept === null) return null
  let best: 'html' | 'json' | null = null
  let bestWeight = 0
  for (const range of accept.slice(0, MAX_ACCEPT).split(',')) {
    const [type = '', ...parameters] = range.toLowerCase().split(';')
    const format = HTML.test(type.trim()) ? 'html' : JSON_TYPE.test(type.trim()) ? 'json' : null
    const weight = format === null ? 0 : weightOf(parameters)
    if (weight <= bestWeight) continue
    best = format
    bestWeight = weight
  }
  return best
}

/** RFC 9110 section 12.4.2; an invalid weight counts as 0. */
function weightOf(parameters: readonly string[]): number {
  const quality = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('q='))
  if (quality === undefined) return 1
  return /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(quality) ? Number(quality.slice(2)) : 0
}
