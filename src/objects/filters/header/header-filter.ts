import { FilterKind } from '#contracts'
import { type Exchange, equalsIgnoreCase, type Filter, type Headers, type Response, sameManagedName } from '#http'
import { config, defineType, list, listOrOne, map, oneOf, type Runtime, runtime, string } from '#schema'
import { checkHeaderFields, constantText, reportHeader, warnOfFraming } from '../../lib/messages/header-fields.ts'
import { HEADER_ENCODINGS, type HeaderFields, HeaderValues } from '../../lib/messages/header-values.ts'
import { EVENTS as LIB_EVENTS } from '../../lib/messages/log-events.ts'

/** Removes, replaces and adds headers of requests or responses. */
export const HeaderFilter = defineType({
  name: 'HeaderFilter',
  kind: FilterKind,
  summary: 'Removes, replaces and adds headers of the request or of the response.',
  events: [LIB_EVENTS.HEADER_LEFT_OUT],
  config: {
    messageType: config(oneOf(['REQUEST', 'RESPONSE'])).meta({
      description: 'Message to change: the request or the response.',
    }),
    remove: list(config(string()), { skipsNull: true })
      .default([])
      .meta({ description: 'Names of headers to remove, with all their values.' }),
    replace: map(listOrOne(runtime('string'), { skipsNull: true }))
      .default({})
      .meta({ description: 'Header names to values that replace all existing ones. A null adds nothing.' }),
    add: map(listOrOne(runtime('string'), { skipsNull: true }))
      .default({})
      .meta({ description: 'Header names to values that are added to existing ones. A null adds nothing.' }),
    encoding: config(oneOf(HEADER_ENCODINGS)).default('ISO-8859-1').meta({
      description:
        'Encoding of values beyond ASCII. A value with characters that the encoding can not represent is omitted, with a warning.',
    }),
  },
  check: ({ remove, replace, add, encoding }, report, warn) => {
    warnOfFraming([...Object.keys(replace), ...Object.keys(add)], warn)
    for (const [at, name] of remove.entries()) reportHeader(name, '', `/remove/${at}`, report)
    checkHeaderFields('/replace', replace, report, encoding)
    checkHeaderFields('/add', add, report, encoding)
  },
  create: ({ messageType, remove, replace, add, encoding }, env) =>
    changeHeaders({ messageType, remove, replace, add }, new HeaderValues(env, encoding)),
})

interface Settings {
  readonly messageType: 'REQUEST' | 'RESPONSE'
  readonly remove: readonly string[]
  readonly replace: HeaderFields
  readonly add: HeaderFields
}

/** Builds the filter; constant values are prepared at load. */
function changeHeaders(settings: Settings, values: HeaderValues): Filter {
  const change = headerChange(settings, values)
  return settings.messageType === 'REQUEST' ? onRequest(change) : onResponse(change)
}

type Change = (headers: Headers, exchange: Exchange, response: Response | null) => Promise<void> | null

function onRequest(change: Change): Filter {
  return (exchange, next) => {
    try {
      const pending = change(exchange.request.headers, exchange, null)
      return pending === null ? next(exchange) : pending.then(() => next(exchange))
    } catch (error) {
      return Promise.reject(error)
    }
  }
}

function onResponse(change: Change): Filter {
  return async (exchange, next) => {
    const response = await next(exchange)
    try {
      const pending = change(response.headers, exchange, response)
      if (pending !== null) await pending
    } catch (error) {
      // Cancels the body, so that its connection is released.
      response.body.cancel()
      throw error
    }
    return response
  }
}

interface NewField {
  readonly name: string
  readonly evaluate: Runtime<string>
}

function headerChange(settings: Settings, values: HeaderValues): Change {
  const isUnwanted = unwantedNames(settings)
  const fields = [settings.replace, settings.add].flatMap(flat)
  const write = (headers: Headers, texts: readonly (string | null)[]): void => {
    if (isUnwanted !== null) headers.deleteWhere(isUnwanted)
    for (let at = 0; at < fields.length; at++) {
      const value = texts[at] ?? null
      if (value !== null) headers.add(fields[at]!.name, value)
    }
  }
  if (fields.every(({ evaluate }) => evaluate.expression.constant)) {
    const constants = fields.map(({ evaluate }) => values.constant(constantText(evaluate)))
    return (headers) => {
      write(headers, constants)
      return null
    }
  }
  return (headers, exchange, response) => {
    // All values are evaluated before any change, so that they can use headers that are removed.
    const texts = textsOf(fields, values, exchange, response, 0, [])
    if (texts instanceof Promise) return texts.then((settled) => write(headers, settled))
    write(headers, texts)
    return null
  }
}

function flat(fields: HeaderFields): NewField[] {
  return Object.entries(fields).flatMap(([name, values]) => values.map((evaluate) => ({ name, evaluate })))
}

type Texts = readonly (string | null)[]

/** Sequential: with concurrent promises, a failure of the second would be an unhandled rejection. */
function textsOf(
  fields: readonly NewField[],
  values: HeaderValues,
  exchange: Exchange,
  response: Response | null,
  from: number,
  texts: (string | null)[],
): Texts | Promise<Texts> {
  for (let at = from; at < fields.length; at++) {
    const { name, evaluate } = fields[at]!
    const text = values.evaluate(name, evaluate, exchange, response)
    if (text instanceof Promise) {
      return text.then((settled) => {
        texts.push(settled)
        return textsOf(fields, values, exchange, response, at + 1, texts)
      })
    }
    texts.push(text)
  }
  return texts
}

/**
 * Selects the existing fields to remove. Upstreams may treat `X_User` as `X-User`: a client must not be able to send a variant of a
 * header that the gateway sets (threats B15).
 */
function unwantedNames({ messageType, remove, replace, add }: Settings): ((name: string) => boolean) | null {
  const gone = [...remove, ...Object.keys(replace)]
  const same = messageType === 'REQUEST' ? sameManagedName : equalsIgnoreCase
  const added = messageType === 'REQUEST' ? Object.keys(add) : []
  if (gone.length + added.length === 0) return null
  return (name) => {
    for (let at = 0; at < gone.length; at++) if (same(gone[at]!, name)) return true
    for (let at = 0; at < added.length; at++) {
      const own = added[at]!
      if (sameManagedName(own, name) && !equalsIgnoreCase(own, name)) return true
    }
    return false
  }
}
