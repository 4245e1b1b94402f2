import { withoutBrackets } from '#http'

/** Address of a Redis server or sentinel. */
interface RedisAddress {
  readonly host: string
  readonly port: number
}

/** Kind of servers at the addresses. */
export type RedisTopology =
  | { readonly kind: 'single'; readonly address: RedisAddress; readonly database: number }
  | { readonly kind: 'cluster'; readonly addresses: readonly RedisAddress[] }
  | {
      readonly kind: 'sentinel'
      readonly addresses: readonly RedisAddress[]
      readonly primary: string
      readonly database: number
    }

/** The fields that locate Redis. */
interface RedisLocation {
  readonly url: string | readonly string[]
  readonly sentinelName?: string | undefined
}

const DEFAULT_PORT = 6379
const SENTINEL_PORT = 26379
/** Redis has 16 by default; a higher number than this is a mistake. */
const DATABASE = /^\/(\d{1,4})?$/

/** A string is one server; a list is a cluster, or sentinels where `sentinelName` is set. */
export function topologyOf({ url, sentinelName }: RedisLocation): RedisTopology {
  const urls = typeof url === 'string' ? [url] : url
  const port = sentinelName === undefined ? DEFAULT_PORT : SENTINEL_PORT
  const addresses = urls.map((each) => addressOf(each, port))
  const database = databaseOf(urls[0] as string)
  if (sentinelName !== undefined) return { kind: 'sentinel', addresses, primary: sentinelName, database }
  if (typeof url !== 'string') return { kind: 'cluster', addresses }
  return { kind: 'single', address: addresses[0] as RedisAddress, database }
}

export function isSecure({ url }: RedisLocation): boolean {
  return (typeof url === 'string' ? url : (url[0] as string)).startsWith('rediss:')
}

/** Reports addresses that contradict each other, or hold values that belong in other fields. */
export function checkAddresses(
  { url, sentinelName }: RedisLocation,
  report: (path: string, message: string) => void,
): void {
  const urls = typeof url === 'string' ? [url] : url
  if (urls.length === 0) report('/url', 'expected at least one address')
  const isCluster = typeof url !== 'string' && sentinelName === undefined
  for (const [at, each] of urls.entries()) {
    const path = typeof url === 'string' ? '/url' : `/url/${at}`
    const { username, password, pathname, search, hash, protocol, hostname } = new URL(each)
    if (username !== '' || password !== '') {
      report(path, 'expected no name and password in the URL; use username and passwordSecretId')
    } else if (hostname === '') report(path, 'expected a host in the URL, such as redis://redis.example.com:6379')
    else if (search !== '' || hash !== '') report(path, 'expected no query and no fragment in the URL')
    else if (pathname !== '' && !DATABASE.test(pathname)) {
      report(path, `expected the number of a database as the path, got ${JSON.stringify(pathname)}`)
    } else if (isCluster && pathname.length > 1 && pathname !== '/0') {
      report(path, 'expected no database: a cluster has one only')
    } else if (protocol !== new URL(urls[0] as string).protocol) {
      report(path, 'expected the same scheme in all addresses: redis, or rediss')
    }
  }
}

function addressOf(url: string, defaultPort: number): RedisAddress {
  const { hostname, port } = new URL(url)
  return { host: withoutBrackets(hostname), port: port === '' ? defaultPort : Number(port) }
}

function databaseOf(url: string): number {
  return Number(DATABASE.exec(new URL(url).pathname)?.[1] ?? 0)
}
