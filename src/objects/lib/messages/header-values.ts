import { type Exchange, HeaderEncodingError, type Headers, type Response } from '#http'
import { type Environment, ResultTypeError, type Runtime } from '#schema'
import { EVENTS } from './log-events.ts'

/** Header names to values, as in the fields of several object types. */
export type HeaderFields = Readonly<Record<string, readonly Runtime<string>[]>>

/** Encodings of header values. */
export const HEADER_ENCODINGS = ['ISO-8859-1', 'UTF-8'] as const

export type HeaderEncoding = (typeof HEADER_ENCODINGS)[number]

type Value = string | null

const ASCII = /^[\x00-\x7f]*$/
const BEYOND_LATIN_1 = /[^\x00-\xff]/

/** A value in its encoding, one character for each byte; null where the encoding can not represent it. */
export function encodedValue(value: string, encoding: HeaderEncoding): Value {
  if (ASCII.test(value)) return value
  if (encoding === 'ISO-8859-1') return BEYOND_LATIN_1.test(value) ? null : value
  return value.isWellFormed() ? Buffer.from(value, 'utf8').toString('latin1') : null
}

/**
 * Evaluates header values. A value that is no text, a list for example, or that the encoding can not represent is omitted with a
 * warning; null is omitted without one. The request does not fail: the value may be the name of a user.
 */
export class HeaderValues {
  readonly #encoding: HeaderEncoding
  readonly #logger: Environment['logger']

  constructor({ logger }: Pick<Environment, 'logger'>, encoding: HeaderEncoding = 'ISO-8859-1') {
    this.#encoding = encoding
    this.#logger = logger
  }

  /** A constant in the encoding; null where it can not be represented. */
  constant(text: string): Value {
    return encodedValue(text, this.#encoding)
  }

  /** Returns a promise only where a body has to be read first. */
  evaluate(
    name: string,
    value: Runtime<string>,
    exchange: Exchange,
    response: Response | null,
  ): Value | Promise<Value> {
    try {
      const result = value(exchange, response)
      if (!(result instanceof Promise)) return this.#encoded(name, result)
      return result.then((settled) => this.#encoded(name, settled)).catch((error) => this.#leftOut(name, error))
    } catch (error) {
      return this.#leftOut(name, error)
    }
  }

  /** Adds every value that is not omitted. */
  async addTo(headers: Headers, fields: HeaderFields, exchange: Exchange): Promise<void> {
    for (const name of Object.keys(fields)) {
      for (const each of fields[name] ?? []) {
        const value = await this.evaluate(name, each, exchange, null)
        if (value !== null) headers.add(name, value)
      }
    }
  }

  #encoded(name: string, value: Value): Value {
    const encoded = value === null ? null : this.constant(value)
    if (value !== null && encoded === null) throw new HeaderEncodingError(name)
    return encoded
  }

  /** The value itself is not logged: it may be personal, or a secret. */
  #leftOut(header: string, error: unknown): null {
    if (!(error instanceof ResultTypeError || error instanceof HeaderEncodingError)) throw error
    const reason = error instanceof ResultTypeError ? error.message : `${error.message}; ${ADVICE[this.#encoding]}`
    this.#logger.limited(header).warn({ header, reason }, EVENTS.HEADER_LEFT_OUT)
    return null
  }
}

const ADVICE: Readonly<Record<HeaderEncoding, string>> = {
  'ISO-8859-1': 'HeaderFilter can send it with encoding UTF-8, if the server reads that',
  'UTF-8': 'it is not well-formed Unicode',
}
