import { isPlainObject, JsonNumber } from '#json'
import { isTransformation, type Json, transform } from './transformations.ts'

/** The value of a configuration token; `undefined` if it has none. */
type TokenResolver = (token: string) => Json | undefined

/** An error in a document, with its JSON pointer. */
interface TokenProblem {
  readonly pointer: string
  readonly message: string
}

const maxDocumentDepth = 200
const maxTokenDepth = 16
const maxResultLength = 1024 * 1024

/**
 * Replaces every `&{token}` and `&{token|default}` in the strings of a document, then applies the transformations such
 * as `{"$int": "&{port|8080}"}`. The result is text, also of numbers and booleans (field-notes 1.6); only a string that is one
 * token alone can become a list or an object. `suggest` completes the message for an unknown token, such as with a similar name.
 */
export function substituteTokens(
  document: Json,
  resolve: TokenResolver,
  suggest: (token: string) => string = () => '',
): { readonly value: Json; readonly problems: readonly TokenProblem[] } {
  const problems: TokenProblem[] = []
  const value = substitute(document, '', 0, { resolve, suggest }, problems)
  return { value, problems }
}

/** Values of tokens, and suggestions for unknown ones. */
interface Tokens {
  readonly resolve: TokenResolver
  readonly suggest: (token: string) => string
}

function substitute(node: Json, pointer: string, depth: number, tokens: Tokens, problems: TokenProblem[]): Json {
  const report = (message: string): null => {
    problems.push({ pointer, message })
    return null
  }
  if (typeof node === 'string') return node.includes('&{') ? replaceTokens(node, tokens, report) : node
  if (typeof node !== 'object' || node === null || node instanceof JsonNumber) return node
  if (depth >= maxDocumentDepth) return report(`the document is nested deeper than ${maxDocumentDepth} levels`)
  if (Array.isArray(node)) {
    return node.map((item, index) => substitute(item, `${pointer}/${index}`, depth + 1, tokens, problems))
  }
  const result: Record<string, Json> = {}
  const before = problems.length
  for (const [key, item] of Object.entries(node)) {
    const at = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const value = substitute(item, at, depth + 1, tokens, problems)
    // `__proto__` is defined, so that it is data; other names are assigned, which is faster.
    if (key === '__proto__')
      Object.defineProperty(result, key, { value, writable: true, enumerable: true, configurable: true })
    else result[key] = value
  }
  if (!isTransformation(result) || problems.length > before) return result
  return transform(result, report)
}

/** Result of replacing a part; `Missing` if one of its tokens has neither a value nor a default. */
interface Reading {
  readonly value: Json | Missing
  readonly end: number
}

class Missing {
  readonly token: string

  constructor(token: string) {
    this.token = token
  }
}

class TokenError extends Error {}

function replaceTokens(text: string, { resolve, suggest }: Tokens, report: (message: string) => null): Json {
  try {
    const { value: read } = readText(text, 0, 0, resolve, '')
    const value = Array.isArray(read) || isPlainObject(read) ? (read as Json) : joinParts([read as Json | Missing])
    if (!(value instanceof Missing)) return value
    const { token } = value
    return report(`the token "${token}" has no value; set it, or give a default: &{${token}|default}${suggest(token)}`)
  } catch (error) {
    if (error instanceof TokenError) return report(error.message)
    throw error
  }
}

/** Reads text up to its end, or up to one of the characters of `stop`, which end a part of a token. */
function readText(text: string, from: number, depth: number, resolve: TokenResolver, stop: string): Reading {
  const parts: (Json | Missing)[] = []
  let literal = ''
  let position = from
  while (position < text.length && !stop.includes(text[position]!)) {
    if (text.startsWith('\\&{', position)) {
      const closing = text.indexOf('}', position)
      const end = closing === -1 ? text.length : closing + 1
      literal += text.slice(position + 1, end)
      position = end
    } else if (text.startsWith('&{', position)) {
      const token = readToken(text, position, depth + 1, resolve)
      if (literal !== '') parts.push(literal)
      literal = ''
      parts.push(token.value)
      position = token.end
    } else {
      literal += text[position]
      position += 1
    }
  }
  if (literal !== '' || parts.length === 0) parts.push(literal)
  return { value: parts.length === 1 ? parts[0]! : joinParts(parts), end: position }
}

function readToken(text: string, at: number, depth: number, resolve: TokenResolver): Reading {
  if (depth > maxTokenDepth) throw new TokenError(`tokens are nested deeper than ${maxTokenDepth} levels`)
  const name = readText(text, at + 2, depth, resolve, '|}')
  const otherwise = text[name.end] === '|' ? readText(text, name.end + 1, depth, resolve, '}') : null
  const end = otherwise?.end ?? name.end
  if (text[end] !== '}') throw new TokenError(`the token at offset ${at} has no closing "}"`)
  if (name.value instanceof Missing) return { value: otherwise?.value ?? name.value, end: end + 1 }
  const token = String(joinParts([name.value])).trim()
  return { value: resolve(token) ?? otherwise?.value ?? new Missing(token), end: end + 1 }
}

function joinParts(parts: readonly (Json | Missing)[]): string | Missing {
  let text = ''
  for (const part of parts) {
    if (part instanceof Missing) return part
    text += typeof part === 'string' ? part : JSON.stringify(part)
    if (text.length > maxResultLength) throw new TokenError(`the text grows over ${maxResultLength} characters`)
  }
  return text
}
