import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { Body, Exchange, Headers, jsonCopy, Request, TemporaryStorage, TOKEN_CHARACTERS, Uri } from '#http'
import { documentText, isPlainObject, type JsonObject, readDocument } from '#json'
import { didYouMean, shown } from '#schema'

const MEMBERS = ['method', 'uri', 'headers', 'entity']
const METHOD = new RegExp(`^[${TOKEN_CHARACTERS}]+$`)
const ENTITY_LIMIT = 16 * 1024 * 1024

/** The exchange of an expression: with the request in a file, or with a plain one. */
export function exchangeOf(file: string | undefined): Exchange {
  const json = file === undefined ? {} : readRequestFile(file)
  const { method = 'GET', uri = 'http://localhost/', headers = {}, entity } = json
  if (typeof method !== 'string' || !METHOD.test(method)) throw wrongMember('method', 'a method such as "GET"', method)
  if (typeof uri !== 'string') throw wrongMember('uri', 'a URI such as "http://localhost/"', uri)
  const parsed = Uri.parse(uri)
  const fields = headerFields(headers)
  if (!fields.has('host')) fields.add('Host', parsed.authority)
  const body = entity === undefined || entity === null ? Body.empty : Body.of(entityText(entity))
  return new Exchange({
    request: new Request({ method, uri: parsed, headers: fields, body }),
    client: {
      remoteAddress: '127.0.0.1',
      remotePort: 0,
      remoteUser: null,
      localAddress: '127.0.0.1',
      localPort: 8080,
      certificates: [],
      userAgent: fields.get('user-agent'),
      secure: parsed.scheme === 'https',
      external: true,
    },
    storage: new TemporaryStorage({
      initialLength: 8192,
      memoryLimit: ENTITY_LIMIT,
      fileLimit: ENTITY_LIMIT,
      directory: tmpdir(),
    }),
  })
}

function wrongMember(name: string, wanted: string, value: unknown): TypeError {
  return new TypeError(`${name}: expected ${wanted}, got ${shown(value)}`)
}

function readRequestFile(file: string): JsonObject {
  const { value } = readDocument(documentText(readFileSync(file)))
  if (!isPlainObject(value)) throw new TypeError('expected an object { "method", "uri", "headers", "entity" }')
  for (const key of Object.keys(value)) {
    if (!MEMBERS.includes(key)) throw new TypeError(`unknown field "${key}"${didYouMean(key, MEMBERS)}`)
  }
  return value as JsonObject
}

function headerFields(json: unknown): Headers {
  if (!isPlainObject(json)) throw new TypeError('headers: expected an object, name to value or list of values')
  const headers = new Headers()
  for (const [name, values] of Object.entries(json)) {
    for (const value of Array.isArray(values) ? values : [values]) headers.add(name, String(value))
  }
  return headers
}

function entityText(entity: unknown): string {
  return typeof entity === 'string' ? entity : JSON.stringify(jsonCopy(entity))
}
