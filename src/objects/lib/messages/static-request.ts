import {
  Body,
  type Exchange,
  type Form,
  formatForm,
  formatQuery,
  Headers,
  InvalidUriError,
  isToken,
  Request,
  TOKEN,
  Uri,
} from '#http'
import {
  byShape,
  config,
  type DecodedMembers,
  type Field,
  field,
  list,
  listOrOne,
  map,
  type Runtime,
  runtime,
  type Settled,
  string,
} from '#schema'
import { checkHeaderFields, constantText } from './header-fields.ts'
import type { HeaderFields, HeaderValues } from './header-values.ts'

/** Fields of a configured request. */
export const staticRequestFields = () => ({
  method: config(method()).meta({ description: 'Method of the new request.' }),
  uri: runtime('string').meta({ description: 'Absolute URI of the new request, `http` or `https`.' }),
  version: config(string()).optional().meta({
    description: 'HTTP version.',
    unsupported: 'the version of a request is that of the connection to its server',
  }),
  headers: map(listOrOne(runtime('string')))
    .default({})
    .meta({ description: 'Header names to values of the new request. A value that is null adds nothing.' }),
  form: map(listOrOne(runtime('string')))
    .default({})
    .meta({
      description:
        'Field names to values: the content of a POST, for other methods appended to the query. A null adds nothing.',
    }),
  entity: byShape({ string: runtime('string'), array: list(runtime('string')) })
    .optional()
    .meta({
      description: 'Content: one string, or an array of strings that are joined by line breaks; sent as UTF-8.',
    }),
})

type StaticRequestValues = Settled<DecodedMembers<ReturnType<typeof staticRequestFields>>>

/** Reports what is wrong with a configured request; `at` is the pointer of its fields. */
export function checkStaticRequest(
  { method, uri, headers, form, entity }: StaticRequestValues,
  report: (pointer: string, message: string) => void,
  at = '',
): void {
  checkHeaderFields(`${at}/headers`, headers, report)
  if (method === 'POST' && entity !== undefined && Object.keys(form).length > 0) {
    report(`${at}/entity`, 'give form or entity, not both: the form is the content of a POST')
  }
  if (!uri.expression.constant) return
  try {
    targetUri(constantText(uri))
  } catch (error) {
    report(`${at}/uri`, (error as Error).message)
  }
}

const MAX_METHOD = 64

function method(): Field<string> {
  const schema = () => ({ type: 'string', pattern: TOKEN.source, maxLength: MAX_METHOD })
  return field({ label: 'an HTTP method', schema }, (value, report) => {
    if (typeof value !== 'string' || !isToken(value, MAX_METHOD)) {
      report(`expected an HTTP method such as "POST", got ${JSON.stringify(value)}`)
    }
    return value as string
  })
}

interface StaticRequestSettings {
  readonly method: string
  readonly uri: Runtime<string>
  readonly headers: HeaderFields
  readonly form: HeaderFields
  readonly entity: readonly Runtime<string>[]
}

export type BuildRequest = (exchange: Exchange) => Promise<Request>

/** Builds the new request; expressions may use the original one, including its body. */
export function requestBuilder(settings: StaticRequestSettings, values: HeaderValues): BuildRequest {
  const { method, headers: fields, entity } = settings
  const isFormContent = method === 'POST' && Object.keys(settings.form).length > 0
  return async (exchange) => {
    const uri = targetUri(await settings.uri(exchange))
    const headers = new Headers()
    await values.addTo(headers, fields, exchange)
    const form = await formOf(settings.form, exchange)
    if (isFormContent) {
      if (!headers.has('content-type')) headers.add('Content-Type', 'application/x-www-form-urlencoded')
      return new Request({ method, uri, headers, body: Body.of(formatForm(form)) })
    }
    const query = formatQuery(form)
    if (query !== '') uri.rawQuery = uri.rawQuery ? `${uri.rawQuery}&${query}` : query
    const lines: string[] = []
    for (const line of entity) lines.push((await line(exchange)) ?? '')
    return new Request({ method, uri, headers, body: Body.of(lines.join('\n')) })
  }
}

function targetUri(text: string | null): Uri {
  if (text === null) throw new InvalidUriError('uri: expected an absolute URI, got null')
  const uri = Uri.parse(text)
  if ((uri.scheme !== 'http' && uri.scheme !== 'https') || uri.host === '') {
    throw new InvalidUriError(`uri: expected an absolute http or https URI, got ${JSON.stringify(text.slice(0, 80))}`)
  }
  // RFC 9110 section 4.2.4: a value appended to a host name could turn that name into user information.
  if (uri.userInfo !== null) throw new InvalidUriError('uri: expected no user information before the host')
  uri.rawFragment = null
  return uri
}

async function formOf(fields: HeaderFields, exchange: Exchange): Promise<Form> {
  const form: Form = Object.create(null)
  for (const name of Object.keys(fields)) {
    const values: string[] = []
    for (const evaluate of fields[name] ?? []) {
      const value = await evaluate(exchange)
      if (value !== null) values.push(value)
    }
    form[name] = values
  }
  return form
}

/** Cancels a streamed body; a buffered one stays readable. */
export function cancelStreamed(body: Body): void {
  if (!body.isBuffered) body.cancel()
}
