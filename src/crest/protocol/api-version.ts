import type { Headers } from '#http'
import { RequestError } from './refusal.ts'

/** The versions of the response to a request. */
export interface ApiVersions {
  readonly protocol: string
  readonly resource: string
}

const PROTOCOLS = ['1.0', '2.0', '2.1', '2.2']
const DEFAULT_PROTOCOL = '2.2'

const PART = /^(protocol|resource)=(\d{1,9}(?:\.\d{1,9})?)$/

/** Parses `Accept-API-Version` (spec: Versioning). Malformed is 400, an unknown version is 406 (spec gap 32). */
export function requestedVersions(headers: Headers, resource: string): ApiVersions {
  const asked = parseHeader(headers.all('accept-api-version'))
  const protocol = asked.get('protocol') ?? DEFAULT_PROTOCOL
  if (!PROTOCOLS.includes(protocol)) {
    throw new RequestError(406, `protocol version ${protocol} is not available; there are ${PROTOCOLS.join(', ')}`)
  }
  const wanted = asked.get('resource') ?? resource
  if (wanted !== resource) {
    throw new RequestError(406, `resource version ${wanted} is not available; there is ${resource}`)
  }
  return { protocol, resource }
}

function parseHeader(values: readonly string[]): Map<string, string> {
  const found = new Map<string, string>()
  if (values.length > 1) throw malformed()
  const text = (values[0] ?? '').trim()
  if (text === '') return found
  for (const part of text.split(',')) {
    const [, name, version] = PART.exec(part.trim()) ?? []
    if (name === undefined || version === undefined || found.has(name)) throw malformed()
    found.set(name, version.includes('.') ? version : `${version}.0`)
  }
  return found
}

function malformed(): RequestError {
  return new RequestError(400, 'Accept-API-Version: expected protocol=<version>,resource=<version>, or one of the two')
}

export function isAtLeast({ protocol }: ApiVersions, wanted: string): boolean {
  return PROTOCOLS.indexOf(protocol) >= PROTOCOLS.indexOf(wanted)
}
