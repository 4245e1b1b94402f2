import { FilterKind, type Secret, type SecretsProvider } from '#contracts'
import type { Filter, Headers } from '#http'
import type { Logger } from '#logging'
import { clearText, config, defineType, oneOf, renamed, secretId } from '#schema'
import { isCharset } from '../../lib/messages/charset.ts'
import { encodedValue } from '../../lib/messages/header-values.ts'
import { EVENTS as LIB_EVENTS } from '../../lib/messages/log-events.ts'
import { decryptText, encryptText, textCipherKey } from '../../lib/messages/text-cipher.ts'
import { checkTextCipher, TEXT_CIPHER_FIELDS, warnOfDes } from '../../lib/messages/text-cipher-fields.ts'
import { EVENTS } from '../log-events.ts'

/** Encrypts or decrypts header fields. */
export const CryptoHeaderFilter = defineType({
  name: 'CryptoHeaderFilter',
  kind: FilterKind,
  summary: 'Encrypts or decrypts header fields of a request or response with a shared key.',
  replacement:
    'use JwtBuilderFilter with encryption instead: ciphers with ECB show which values are equal, and do not detect changed ones',
  events: [EVENTS.CRYPTO_HEADER_REMOVED, LIB_EVENTS.HEADER_LEFT_OUT],
  config: {
    messageType: config(oneOf(['REQUEST', 'RESPONSE'])).meta({ description: 'The message whose header is changed.' }),
    operation: config(oneOf(['ENCRYPT', 'DECRYPT'])).meta({ description: 'What is done with the values.' }),
    keySecretId: config(secretId()).meta({
      description:
        'Secret ID of the key: the bytes of a key, or a password with their base64. The active secret encrypts, all valid ones decrypt.',
    }),
    ...TEXT_CIPHER_FIELDS,
  },
  older: [renamed('charSet', 'charset'), clearText('key', 'keySecretId', 'header.key')],
  check: (values, report, warn) => {
    warnOfDes(values.algorithm, warn, '/algorithm')
    checkTextCipher(values, report)
    const { operation, charset } = values
    if (operation === 'ENCRYPT' && isCharset(charset) && encoderOf(charset) === null) {
      report('/charset', `expected UTF-8 or ISO-8859-1 for ENCRYPT, got "${charset}"`)
    }
  },
  create: ({ messageType, operation, algorithm, keySecretId, secretsProvider: secrets, charset, headers }, env) => {
    const keys = new CipherKeys(secrets, keySecretId, algorithm)
    const convert =
      operation === 'ENCRYPT' ? encryption(keys, algorithm, charset) : decryption(keys, algorithm, charset)
    const names = [...new Set(headers.map((name) => name.toLowerCase()))]
    const change = (message: Headers) => changeHeaders(message, names, convert, env.logger)
    return messageType === 'REQUEST' ? ofRequests(change) : ofResponses(change)
  },
})

/** A converted value; null where it can not be converted. */
type Convert = (value: string) => Promise<string | null>

function ofRequests(change: (headers: Headers) => Promise<void>): Filter {
  return async (exchange, next) => {
    await change(exchange.request.headers)
    return next(exchange)
  }
}

function ofResponses(change: (headers: Headers) => Promise<void>): Filter {
  return async (exchange, next) => {
    const response = await next(exchange)
    try {
      await change(response.headers)
      return response
    } catch (error) {
      response.body.cancel()
      throw error
    }
  }
}

/** Values that can not be converted are removed: a clear or unreadable one is never passed on. */
async function changeHeaders(
  headers: Headers,
  names: readonly string[],
  convert: Convert,
  logger: Logger,
): Promise<void> {
  for (const name of names) {
    const values = headers.all(name)
    if (values.length === 0) continue
    const converted = await Promise.all(values.map(convert))
    headers.delete(name)
    for (const value of converted) {
      if (value === null) logger.limited(name).warn({ header: name }, EVENTS.CRYPTO_HEADER_REMOVED)
      else headers.add(name, value)
    }
  }
}

/** Keys of a secret ID. */
class CipherKeys {
  readonly #secrets: SecretsProvider
  readonly #secretId: string
  readonly #algorithm: string

  constructor(secrets: SecretsProvider, secretId: string, algorithm: string) {
    this.#secrets = secrets
    this.#secretId = secretId
    this.#algorithm = algorithm
  }

  async active(): Promise<Buffer> {
    return this.#keyOf(await this.#secrets.active({ secretId: this.#secretId, purpose: 'GENERIC' }))
  }

  async valid(): Promise<readonly Buffer[]> {
    const secrets = await this.#secrets.valid({ secretId: this.#secretId, purpose: 'GENERIC' })
    return secrets.map((secret) => this.#keyOf(secret))
  }

  #keyOf(secret: Secret): Buffer {
    const key = textCipherKey(secret, this.#algorithm)
    if (key !== null) return key
    throw new Error(`the secret "${this.#secretId}" is no key for ${this.#algorithm}: its length is another`)
  }
}

function encryption(keys: CipherKeys, algorithm: string, charset: string): Convert {
  const encode = encoderOf(charset) as (text: string) => Buffer | null
  return async (value) => {
    const content = encode(value)
    return content === null ? null : encryptText(content, await keys.active(), algorithm)
  }
}

function decryption(keys: CipherKeys, algorithm: string, charset: string): Convert {
  const decoder = new TextDecoder(charset, { fatal: true })
  return async (value) => {
    for (const key of await keys.valid()) {
      const text = decodedText(decryptText(value, key, algorithm), decoder)
      if (text !== null) return text
    }
    return null
  }
}

/** Text that a header field can have: a changed ciphertext may decrypt to control characters. */
function decodedText(content: Buffer | null, decoder: TextDecoder): string | null {
  if (content === null) return null
  try {
    const text = decoder.decode(content).trim()
    return /^[\t\x20-\x7e\x80-\xff]*$/.test(text) ? encodedValue(text, 'ISO-8859-1') : null
  } catch {
    return null
  }
}

/** Encodes header values, which have one character for each byte; null for an encoding that is only decoded. */
function encoderOf(charset: string): ((text: string) => Buffer | null) | null {
  const { encoding } = new TextDecoder(charset)
  if (encoding === 'utf-8') return (text) => Buffer.from(text, 'utf8')
  return encoding === 'windows-1252' ? (text) => Buffer.from(text, 'latin1') : null
}
