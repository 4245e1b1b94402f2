/** A message parsed strictly by RFC 9112. */
export interface StrictMessage {
  /** The first line. */
  readonly line: string
  /** Names in lower case with their values, in their order. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** Null while the body is not complete. */
  readonly body: string | null
}

/** Parsed messages; an empty `rest` means that all bytes were parsed. */
export interface StrictReading {
  readonly messages: readonly StrictMessage[]
  /** Bytes that are not a complete, valid message. */
  readonly rest: string
}

const FIELD = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[\t ]*([\t\x20-\x7e\x80-\xff]*?)[\t ]*$/
const REQUEST_LINE = /^[A-Z][A-Z-]* [!-~]+ HTTP\/1\.1$/
const STATUS_LINE = /^HTTP\/1\.[01] [1-9]\d\d(?: [\t\x20-\x7e\x80-\xff]*)?$/

type Content = { readonly body: string | null; readonly rest: string } | null

/** Parses requests up to the first invalid or ambiguous one. */
export function readRequests(bytes: string): StrictReading {
  return read(bytes, REQUEST_LINE, (_line, fields, after) => framed(fields, after) ?? { body: '', rest: after })
}

/**
 * Parses the final response to a request of that method, after its informational ones, and all bytes after it;
 * `isEnded` is true if the connection was closed with FIN after the bytes.
 */
export function readResponses(bytes: string, method: string, isEnded: boolean): StrictReading {
  return read(bytes, STATUS_LINE, (line, fields, after) => {
    const status = Number(line.slice(9, 12))
    if (method === 'HEAD' || status < 200 || status === 204 || status === 304) return { body: '', rest: after }
    // RFC 9112 section 6.3, rule 8: up to the end of the connection.
    return framed(fields, after) ?? { body: isEnded ? after : null, rest: '' }
  })
}

/** The values of a field. */
export function valuesOf(message: StrictMessage, name: string): string[] {
  return message.fields.filter(([each]) => each === name).map(([, value]) => value)
}

function read(
  bytes: string,
  firstLine: RegExp,
  contentOf: (line: string, fields: StrictMessage['fields'], after: string) => Content | 'ambiguous',
): StrictReading {
  const messages: StrictMessage[] = []
  for (let rest = bytes; ; ) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return { messages, rest }
    const [line = '', ...lines] = rest.slice(0, end).split('\r\n')
    const matches = lines.map((each) => FIELD.exec(each))
    if (!firstLine.test(line) || matches.includes(null)) return { messages, rest }
    const fields = matches.map((match) => [match![1]!.toLowerCase(), match![2]!] as const)
    const content = contentOf(line, fields, rest.slice(end + 4))
    if (content === null || content === 'ambiguous') return { messages, rest }
    messages.push({ line, fields, body: content.body })
    if (content.body === null) return { messages, rest }
    rest = content.rest
  }
}

/** The content by Content-Length or Transfer-Encoding; null without them. */
function framed(fields: StrictMessage['fields'], after: string): Content | 'ambiguous' {
  const lengths = fields.filter(([name]) => name === 'content-length').map(([, value]) => value)
  const codings = fields.filter(([name]) => name === 'transfer-encoding').map(([, value]) => value)
  if (lengths.length + codings.length > 1) return 'ambiguous'
  if (codings.length > 0) return codings[0]!.toLowerCase() === 'chunked' ? chunked(after) : 'ambiguous'
  if (lengths.length === 0) return null
  if (!/^\d+$/.test(lengths[0]!)) return 'ambiguous'
  const size = Number(lengths[0])
  return after.length < size ? { body: null, rest: '' } : { body: after.slice(0, size), rest: after.slice(size) }
}

function chunked(bytes: string): Content {
  const incomplete = { body: null, rest: '' }
  let body = ''
  for (let rest = bytes; ; ) {
    const [head, hex] = /^([0-9A-Fa-f]+)(?:;[\t\x20-\x7e\x80-\xff]+)?\r\n/.exec(rest) ?? []
    if (head === undefined || hex === undefined) return incomplete
    const size = Number.parseInt(hex, 16)
    rest = rest.slice(head.length)
    if (size === 0) {
      const trailers = /^(?:[^\r\n]+\r\n)*\r\n/.exec(rest)?.[0]
      return trailers === undefined ? incomplete : { body, rest: rest.slice(trailers.length) }
    }
    if (rest.slice(size, size + 2) !== '\r\n') return incomplete
    body += rest.slice(0, size)
    rest = rest.slice(size + 2)
  }
}
