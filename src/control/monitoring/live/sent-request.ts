import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import type { ConnectorSettings, SimulatedRequestMessage } from '#contracts'
import type { JsonObject } from '#json'

const TIMEOUT = 30_000
const MAX_BODY = 256 * 1024

/** A port of a traffic connector. */
interface TrafficPort {
  readonly host: string
  readonly port: number
  readonly isSecure: boolean
}

/** The open ports of the traffic connectors, in the order of the settings. */
export function trafficPorts(connectors: readonly ConnectorSettings[], ports: readonly number[]): TrafficPort[] {
  const hosts = connectors.flatMap(({ host, secure, ports: own }) => own.map(() => ({ host, isSecure: secure })))
  return hosts.flatMap((connector, at) => {
    const port = ports[at]
    return port === undefined ? [] : [{ ...connector, port }]
  })
}

/** Sends a request to a traffic port of this gateway; its body is truncated. Rejects where the connection fails. */
export function sendToTraffic(
  { method, target, rawHeaders, body }: SimulatedRequestMessage,
  { host, port, isSecure }: TrafficPort,
  trace: { readonly name: string; readonly token: string },
): Promise<JsonObject> {
  const given = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] as string] as const] : []))
  const own = new Set(['content-length', 'transfer-encoding', 'connection', trace.name.toLowerCase()])
  const headers = given.filter(([name]) => !own.has(name.toLowerCase())).flat()
  const name = rawHeaders[rawHeaders.findIndex((each, at) => at % 2 === 0 && each.toLowerCase() === 'host') + 1] ?? ''
  const serverName = name.replace(/:\d+$/, '')
  const length = body === '' ? [] : ['Content-Length', String(Buffer.byteLength(body))]
  const options: RequestOptions & { rejectUnauthorized?: boolean; servername?: string } = {
    host: reachable(host),
    port,
    method,
    path: target,
    headers: [...headers, ...length, 'Connection', 'close', trace.name, trace.token],
    setHost: false,
    agent: false,
    timeout: TIMEOUT,
    signal: AbortSignal.timeout(TIMEOUT),
    // The peer is this process; its certificate may be for any name.
    ...(isSecure && { rejectUnauthorized: false, ...(isIP(serverName) === 0 && { servername: serverName }) }),
  }
  return new Promise((resolve, reject) => {
    const sent = (isSecure ? requestHttps : requestHttp)(options, (response) => {
      collect(response).then(resolve, reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function collect(response: IncomingMessage): Promise<JsonObject> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    chunks.push(chunk as Buffer)
    bytes += (chunk as Buffer).length
    if (bytes > MAX_BODY) break
  }
  const truncated = bytes > MAX_BODY
  const content = Buffer.concat(chunks).subarray(0, MAX_BODY)
  return {
    status: response.statusCode ?? 0,
    reason: response.statusMessage ?? '',
    headers: headerLists(response.rawHeaders),
    ...entityOf(content, truncated),
    truncated,
  }
}

/** Text where it is UTF-8, otherwise Base64. The last character may be cut off. */
function entityOf(content: Buffer, truncated: boolean): JsonObject {
  try {
    return { entity: new TextDecoder('utf-8', { fatal: true }).decode(content, { stream: truncated }) }
  } catch {
    return { entity: content.toString('base64'), encoding: 'base64' }
  }
}

function headerLists(raw: readonly string[]): JsonObject {
  const lists: Record<string, string[]> = Object.create(null)
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] as string
    lists[name] = [...(lists[name] ?? []), raw[at + 1] as string]
  }
  return lists
}

function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  return host === '::' ? '::1' : host
}
