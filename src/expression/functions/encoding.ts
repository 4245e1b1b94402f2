import { decodeBase64 } from '../base64.ts'
import { bounded, isBytes } from '../values.ts'
import { bytes, text } from './arguments.ts'
import { define, type FunctionDefinition } from './definition.ts'

/** Characters that RFC 3986 allows unescaped in each part of a URI, besides letters, digits and `-._~`. */
const subDelimiters = "!$&'()*+,;="
const allowed = {
  PathElement: `${subDelimiters}:@`,
  // `&`, `=`, `+` and `;` separate parameters.
  QueryParameterNameOrValue: "!$'()*,:@/?",
  Fragment: `${subDelimiters}:@/?`,
  UserInfo: `${subDelimiters}:`,
}

/** Functions that encode and decode. */
export const encodingFunctions: readonly FunctionDefinition[] = [
  define('encodeBase64', 'value', ([value]) => encode('encodeBase64', value, 'base64')),
  define('encodeBase64url', 'value', ([value]) => encode('encodeBase64url', value, 'base64url')),
  define('decodeBase64', 'text', ([value]) => decode('decodeBase64', value, 'base64')),
  define('decodeBase64url', 'text', ([value]) => decode('decodeBase64url', value, 'base64url')),
  onText('urlEncode', formEncode),
  onText('urlDecode', formDecode),
  onText('formEncodeParameterNameOrValue', formEncode),
  onText('formDecodeParameterNameOrValue', formDecode),
  ...Object.entries(allowed).flatMap(([part, safe]) => [
    onText(`urlEncode${part}`, (value) => percentEncode(value, safe)),
    onText(`urlDecode${part}`, percentDecode),
  ]),
]

function onText(name: string, change: (value: string) => string): FunctionDefinition {
  return define(name, 'text', ([value]) => {
    const string = text(`${name}()`, value)
    return string === null ? null : change(string)
  })
}

function encode(name: string, value: unknown, encoding: 'base64' | 'base64url'): string | null {
  const content = bytes(`${name}()`, value)
  if (content === null) return null
  return bounded(Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString(encoding))
}

function decode(name: string, value: unknown, alphabet: 'base64' | 'base64url'): string | null {
  const string = isBytes(value) ? Buffer.from(value).toString('latin1') : text(`${name}()`, value)
  return string === null ? null : (decodeBase64(string, alphabet)?.toString('utf8') ?? null)
}

function formEncode(value: string): string {
  const form = new URLSearchParams([['', value.toWellFormed()]])
  return bounded(form.toString().slice(1))
}

function formDecode(value: string): string {
  return percentDecode(value.replaceAll('+', ' '))
}

function percentEncode(value: string, safe: string): string {
  const encoded = encodeURIComponent(value.toWellFormed())
  const strict = encoded.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
  return bounded(
    strict.replace(/%[0-7][0-9A-F]/g, (code) => {
      const character = String.fromCharCode(Number.parseInt(code.slice(1), 16))
      return safe.includes(character) ? character : code
    }),
  )
}

/** Decodes valid escapes and keeps invalid ones; bytes that are not UTF-8 become U+FFFD. */
function percentDecode(value: string): string {
  return value.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) =>
    Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'),
  )
}
