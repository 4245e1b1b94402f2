import { lookup } from 'node:dns/promises'
import { isIPv6 } from 'node:net'

/**
 * The address of a listener in one spelling, for comparisons: `127.1` and `::ffff:127.0.0.1` are `127.0.0.1`, and `localhost` is what
 * this machine takes for it. Other names stay as they are: a file may be checked on another machine than that of its gateway.
 */
export async function listeningAddress(host: string): Promise<string> {
  if (host.toLowerCase() !== 'localhost') return canonicalAddress(host)
  try {
    return canonicalAddress((await lookup(host)).address)
  } catch {
    return host
  }
}

/** URLs have one spelling of each address (WHATWG URL, host parsing). */
function canonicalAddress(host: string): string {
  const url = URL.parse(`http://${isIPv6(host) ? `[${host}]` : host}/`)
  if (url === null) return host.toLowerCase()
  const [, high, low] = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(url.hostname) ?? []
  if (high === undefined || low === undefined) return url.hostname
  const bytes = [high, low].flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255])
  return bytes.join('.')
}
