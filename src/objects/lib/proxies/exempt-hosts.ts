import { BlockList, isIP } from 'node:net'

/** Whether a server is reached without the proxy. */
export type Exempts = (hostname: string, port: number) => boolean

/**
 * Parses NO_PROXY: host names (with their subdomains), addresses, networks such as `10.0.0.0/8`, each with an optional port; `*`
 * matches everything. Host names are not resolved.
 */
export function noProxyList(text: string): Exempts {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '')
  const tests = entries.map(entryTest)
  return (hostname, port) => {
    const plain = plainName(hostname)
    return tests.some((test) => test(plain, port))
  }
}

function entryTest(entry: string): Exempts {
  if (entry === '*') return () => true
  const network = /^(.+)\/(\d{1,3})$/.exec(entry)
  if (network !== null) return networkTest(network[1]!, Number(network[2]))
  const withPort = isIP(entry) === 0 ? /^(.+):(\d{1,5})$/.exec(entry) : null
  const name = plainName((withPort?.[1] ?? entry).replace(/^\*?\./, ''))
  const wanted = withPort === null ? null : Number(withPort[2])
  const matches = (hostname: string) => hostname === name || (isIP(name) === 0 && hostname.endsWith(`.${name}`))
  return (hostname, port) => (wanted === null || wanted === port) && matches(hostname)
}

function networkTest(address: string, bits: number): Exempts {
  const family = isIP(address)
  if (family === 0 || bits > (family === 4 ? 32 : 128)) return () => false
  const list = new BlockList()
  list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6')
  return (hostname) => isIP(hostname) !== 0 && list.check(hostname, isIP(hostname) === 4 ? 'ipv4' : 'ipv6')
}

/** Parses `http.nonProxyHosts`: names separated by `|`, each with an optional `*` at its start or end. */
export function nonProxyHosts(text: string): Exempts {
  const patterns = text
    .split('|')
    .map((part) => plainName(part.trim()))
    .filter((part) => part !== '')
  return (hostname) => {
    const plain = plainName(hostname)
    return patterns.some((pattern) => matchesPattern(pattern, plain))
  }
}

function matchesPattern(pattern: string, hostname: string): boolean {
  if (pattern === '*') return true
  if (pattern.startsWith('*')) return hostname.endsWith(pattern.slice(1))
  if (pattern.endsWith('*')) return hostname.startsWith(pattern.slice(0, -1))
  return hostname === pattern
}

function plainName(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
}
