import { EvaluationError } from '#expression'
import { type Exchange, parseAuthority, type Response, Uri } from '#http'
import { Deferred, type Field, field, type Runtime, runtime, type SettleContext } from '#schema'

/**
 * Returns the scheme, host and port of the server for a request, or null to leave those of the request. Throws where the
 * expression evaluates to null or to an invalid base URI.
 */
export interface BaseUri {
  (exchange: Exchange, response?: Response | null): Uri | null | Promise<Uri | null>
  /** The result where it is the same for every request. */
  readonly fixed: { readonly uri: Uri | null } | null
}

/** `ws` and `wss` are mapped to the scheme of the opening handshake (RFC 6455 section 3), which other requests use too. */
const SCHEMES: ReadonlyMap<string, string> = new Map([
  ['http', 'http'],
  ['https', 'https'],
  ['ws', 'http'],
  ['wss', 'https'],
])

const EXAMPLE = '"https://app.example.com:8443"'

/** A base URI or an expression of one. A literal is validated when the configuration is decoded. */
export function baseUri(): Field<Deferred<BaseUri>> {
  return baseUriField('a base URI', { type: 'string' }, (value) => value)
}

/** As baseUri; `false` means no base URI. */
export function optionalBaseUri(): Field<Deferred<BaseUri>> {
  const schema = { anyOf: [{ type: 'string' }, { const: false }] }
  return baseUriField('a base URI or false', schema, (value) => (value === false ? '' : value))
}

function baseUriField(
  label: string,
  schema: Readonly<Record<string, unknown>>,
  textOf: (written: unknown) => unknown,
): Field<Deferred<BaseUri>> {
  const text = runtime('string')
  return field({ label, schema: () => schema }, (written, report) => {
    const value = textOf(written)
    const decoded = text.decode(value, (message) => report(message))
    if (decoded === undefined) return undefined
    const isLiteral = typeof value === 'string' && !/[$#]\{/.test(value)
    const parsed = isLiteral ? parseBase(value) : null
    if (parsed !== null && 'problem' in parsed) report(parsed.problem)
    return new BaseUriExpression(decoded)
  }) as Field<Deferred<BaseUri>>
}

class BaseUriExpression extends Deferred<BaseUri> {
  readonly #text: Deferred<Runtime<string>>

  constructor(text: Deferred<Runtime<string>>) {
    super()
    this.#text = text
  }

  settle(context: SettleContext, pointer: string): BaseUri {
    const evaluate = this.#text.settle(context, pointer) as Runtime<string>
    if (!evaluate.expression.constant) return baseOf(evaluate)
    const parsed = parseBase(String(evaluate.expression.evaluate(context.scope)))
    if ('problem' in parsed) context.report(pointer, parsed.problem)
    const uri = 'problem' in parsed ? null : parsed.uri
    return Object.assign(() => uri, { fixed: { uri } })
  }
}

/** Evaluates the expression for each request. Caches the last result, since most expressions return the same server each time. */
function baseOf(evaluate: Runtime<string>): BaseUri {
  const { source } = evaluate.expression
  let last: { readonly text: string; readonly uri: Uri | null } = { text: '', uri: null }
  const read = (text: string | null): Uri | null => {
    if (text === null) throw new EvaluationError(`${source}: expected a base URI such as ${EXAMPLE}, got null`)
    if (text === last.text) return last.uri
    const parsed = parseBase(text)
    if ('problem' in parsed) throw new EvaluationError(`${source}: ${parsed.problem}`)
    last = { text, uri: parsed.uri }
    return last.uri
  }
  const base = (exchange: Exchange, response: Response | null = null) => {
    const text = evaluate(exchange, response)
    return text instanceof Promise ? text.then(read) : read(text)
  }
  return Object.assign(base, { fixed: null })
}

/** Parses a base URI; an empty text means none (field-notes 3.10). */
export function parseBase(text: string): { readonly uri: Uri | null } | { readonly problem: string } {
  if (text === '') return { uri: null }
  const uri = uriOf(text)
  const scheme = SCHEMES.get(uri?.scheme ?? '')
  if (uri === null || scheme === undefined || uri.host === '') {
    return { problem: `expected a base URI such as ${EXAMPLE}, got ${JSON.stringify(text.slice(0, 80))}` }
  }
  const authority = parseAuthority(uri.authority)
  if ('problem' in authority) {
    return { problem: `expected a base URI such as ${EXAMPLE}, but ${authority.problem}` }
  }
  const { isWebSocket } = uri
  return {
    uri: new Uri({ scheme, userInfo: null, ...authority, rawPath: '', rawQuery: null, rawFragment: null, isWebSocket }),
  }
}

function uriOf(text: string): Uri | null {
  try {
    return Uri.parse(text)
  } catch {
    return null
  }
}
