import { isIP } from 'node:net'
import { Body, TOKEN_CHARACTERS } from '#http'
import type { SimulatedRequest } from '#listener'
import { type Arguments, UsageError } from '../arguments.ts'

const LINE = new RegExp(String.raw`^(?:([${TOKEN_CHARACTERS}]+)\s+)?(\S+)$`)
const ABSOLUTE = /^(https?):\/\/([^/?#]*)([^#]*)/i
const FIELD = new RegExp(String.raw`^([${TOKEN_CHARACTERS}]+)\s*:\s*(.*)$`)

/** The request of a command line: `GET https://host/path`, -H fields, a body. */
export function simulatedRequest(args: Arguments): SimulatedRequest {
  const [, method = 'GET', uri = ''] = LINE.exec((args.operands[0] as string).trim()) ?? []
  const [, scheme = 'http', host = 'localhost', rest = ''] = ABSOLUTE.exec(uri) ?? []
  const target = uri.startsWith('/') ? uri : rest === '' || rest.startsWith('?') ? `/${rest}` : rest
  if (!uri.startsWith('/') && !ABSOLUTE.test(uri)) {
    throw new UsageError(`expected a request such as 'GET https://host/path', got ${JSON.stringify(args.operands[0])}`)
  }
  const fields = args.values('header').flatMap(headerField)
  const named = new Set(fields.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase()))
  const body = args.value('data') ?? ''
  const rawHeaders = [
    ...(named.has('host') ? [] : ['Host', host]),
    ...fields,
    ...(body === '' || named.has('content-length') ? [] : ['Content-Length', String(Buffer.byteLength(body))]),
  ]
  return {
    method,
    target,
    rawHeaders,
    scheme: scheme.toLowerCase() === 'https' ? 'https' : 'http',
    clientAddress: clientAddress(args.value('from') ?? '127.0.0.1'),
    body: body === '' ? Body.empty : Body.of(body),
  }
}

function clientAddress(text: string): string {
  if (isIP(text) !== 0) return text
  throw new UsageError(`--from: expected an IP address such as 192.0.2.1, got ${JSON.stringify(text)}`)
}

function headerField(text: string): [string, string] {
  const [, name, value] = FIELD.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw new UsageError(`expected a header such as -H 'Name: value', got ${JSON.stringify(text)}`)
  return [name, value]
}
