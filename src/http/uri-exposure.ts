import type { Exposure } from '#expression'
import { percentDecode } from './percent.ts'
import { InvalidUriError } from './uri-syntax.ts'

function text(value: unknown): string {
  if (typeof value === 'string') return value
  throw new InvalidUriError(`uri: expected text, got ${value === null ? 'null' : typeof value}`)
}

function textOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : text(value)
}

function texts(value: unknown): string[] {
  if (!Array.isArray(value)) throw new InvalidUriError('uri path elements: expected a list of text')
  return value.map(text)
}

/** Members of Uri that expressions use. */
interface ExposedUri {
  scheme: string
  userInfo: string | null
  host: string
  port: number
  authority: string
  path: string
  query: string | null
  fragment: string | null
  rawPath: string
  rawQuery: string | null
  rawFragment: string | null
  pathElements: string[]
  toString(): string
}

/** Sets a member to what is read from a value of an expression. */
function assigned<K extends Exclude<keyof ExposedUri, 'toString'>>(name: K, read: (value: unknown) => ExposedUri[K]) {
  return (self: ExposedUri, value: unknown): void => {
    self[name] = read(value)
  }
}

/** A URI in expressions. */
export const URI_EXPOSURE: Exposure<ExposedUri> = {
  kind: 'uri',
  get: {
    scheme: (self) => self.scheme,
    userInfo: (self) => (self.userInfo === null ? null : percentDecode(self.userInfo)),
    host: (self) => self.host,
    port: (self) => self.port,
    authority: (self) => percentDecode(self.authority),
    path: (self) => self.path,
    query: (self) => self.query,
    fragment: (self) => self.fragment,
    rawUserInfo: (self) => self.userInfo,
    rawAuthority: (self) => self.authority,
    rawPath: (self) => self.rawPath,
    rawQuery: (self) => self.rawQuery,
    rawFragment: (self) => self.rawFragment,
    pathElements: (self) => self.pathElements,
  },
  set: {
    scheme: assigned('scheme', text),
    host: assigned('host', text),
    port: assigned('port', Number),
    authority: assigned('authority', text),
    rawAuthority: assigned('authority', text),
    pathElements: assigned('pathElements', texts),
    path: assigned('path', text),
    rawPath: assigned('rawPath', text),
    query: assigned('query', textOrNull),
    rawQuery: assigned('rawQuery', textOrNull),
    fragment: assigned('fragment', textOrNull),
    rawFragment: assigned('rawFragment', textOrNull),
    userInfo: assigned('userInfo', textOrNull),
    rawUserInfo: assigned('userInfo', textOrNull),
  },
  call: { toString: (self: ExposedUri) => self.toString() },
}
