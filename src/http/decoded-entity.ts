import { checkJson, deepFreeze, JsonLimitError, type JsonValue, parseJson, parseUniqueJson } from '#json'
import type { Body } from './body.ts'
import { decodeContent } from './content-coding.ts'
import { assertShowsAscii, charsetOf, isAlwaysUtf8, isForm } from './content-type.ts'
import { type EntityLimits, EntityTooLargeError } from './entity-limits.ts'
import { type Form, parseForm, TooManyFieldsError } from './form.ts'
import type { Headers } from './headers.ts'

/**
 * A body decoded as text, JSON or a form, by the headers that describe it. Each is computed on first use and cached,
 * failures included, since many expressions may read one body. Cached values are frozen: they are shared.
 */
export class DecodedEntity {
  readonly #limits: EntityLimits
  readonly #reading: 'strict' | 'lenient'
  readonly #charset: string
  readonly #text: () => string
  readonly #json: () => JsonValue
  readonly #form: () => Form

  /** Strict reading rejects content that another parser would read in another way (threats B115). */
  constructor(
    headers: Headers,
    body: Pick<Body, 'length' | 'bytes'>,
    limits: EntityLimits,
    reading: 'strict' | 'lenient',
  ) {
    this.#limits = limits
    this.#reading = reading
    const { bytes } = limits
    this.#charset = charsetOf(headers)
    this.#text = once(() => {
      if (isAlwaysUtf8(headers)) this.#assertUnambiguous()
      // Checked before the content is read from a file; encoded content only grows.
      if (body.length !== null && body.length > bytes) throw new EntityTooLargeError(`more than ${bytes} bytes`)
      // In a form a byte order mark is a part of the first name (WHATWG URL section 5.1).
      const decoder = new TextDecoder(this.#charset, { ignoreBOM: isForm(headers) })
      return decoder.decode(decodeContent(headers, body.bytes(), bytes))
    })
    this.#json = once(() => deepFreeze(this.#parse()))
    this.#form = once(() => this.#fields())
  }

  /** Equal for headers that decode the same bytes to the same content. */
  static key(headers: Headers): string {
    return `${charsetOf(headers)} ${isAlwaysUtf8(headers)} ${isForm(headers)} ${headers.all('content-encoding').join()}`
  }

  get text(): string {
    return this.#text()
  }

  /** Null without content. */
  get json(): JsonValue {
    return this.#json()
  }

  get form(): Form {
    return this.#form()
  }

  /** The text, within the limits for depth, number of JSON values and digits. */
  get jsonText(): string {
    // Parsed for the check of its members; the reader parses the text again.
    if (this.#reading === 'strict') this.#json()
    return this.#within((text, limits) => {
      checkJson(text, limits)
      return text
    })
  }

  #parse(): JsonValue {
    this.#assertUnambiguous()
    const parse = this.#reading === 'strict' ? parseUniqueJson : parseJson
    return this.#within((text, limits) => (text.trim() === '' ? null : parse(text, limits)))
  }

  #assertUnambiguous(): void {
    if (this.#reading === 'strict') assertShowsAscii(this.#charset)
  }

  #within<T>(read: (text: string, limits: Pick<EntityLimits, 'values' | 'digits'>) => T): T {
    const text = this.#text()
    const { values, digits } = this.#limits
    try {
      return read(text, { values, digits })
    } catch (error) {
      if (!(error instanceof JsonLimitError)) throw error
      if (error.limit === 'values') throw new EntityTooLargeError(`JSON of more than ${values} values`)
      throw error.limit === 'digits' ? new EntityTooLargeError(`JSON with ${error.reason}`) : error
    }
  }

  #fields(): Form {
    const { values } = this.#limits
    try {
      const form = parseForm(this.#text(), { keepNamesWithoutValue: false, maxFields: values })
      for (const name of Object.keys(form)) Object.freeze(form[name])
      return Object.freeze(form)
    } catch (error) {
      throw error instanceof TooManyFieldsError
        ? new EntityTooLargeError(`a form of more than ${values} fields`)
        : error
    }
  }
}

/** Computes a value at the first call; later calls return the same value, or throw the same error. */
function once<T>(make: () => T): () => T {
  let made: (() => T) | null = null
  return () => {
    if (made === null) {
      try {
        const value = make()
        made = () => value
      } catch (error) {
        made = () => {
          throw error
        }
      }
    }
    return made()
  }
}
