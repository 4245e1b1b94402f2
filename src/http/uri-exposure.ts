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
    scheme: (self, value) => {
      self.scheme = text(value)
    },
    host: (self, value) => {
      self.host = text(value)
    },
    port: (self, value) => {
      self.port = Number(value)
    },
    authority: (self, value) => {
      self.authority = text(value)
    },
    rawAuthority: (self, value) => {
      self.authority = text(value)
    },
    pathElements: (self, value) => {
      if (!Array.isArray(value)) throw new InvalidUriError('uri path elements: expected a list of text')
      self.pathElements = value.map(text)
    },
    path: (self, value) => {
      self.path = text(value)
    },
    rawPath: (self, value) => {
      self.rawPath = text(value)
    },
    query: (self, value) => {
      self.query = textOrNull(value)
    },
    rawQuery: (self, value) => {
      self.rawQuery = textOrNull(value)
    },
    fragment: (self, value) => {
      self.fragment = textOrNull(value)
    },
    rawFragment: (self, value) => {
      self.rawFragment = textOrNull(value)
    },
    userInfo: (self, value) => {
      self.userInfo = textOrNull(value)
    },
    rawUserInfo: (self, value) => {
      self.userInfo = textOrNull(value)
    },
  },
  call: { toString: (self: ExposedUri) => self.toString() },
}
