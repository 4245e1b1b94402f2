/** Options of an address, in their order. */
export type Options = ReadonlyMap<string, string>

/** One broker in an address. */
export interface AddressPart {
  readonly scheme: string
  readonly host: string
  /** Null where the address names none. */
  readonly port: number | null
  readonly options: Options
}

/** A broker, or a list of brokers. */
export interface BrokerAddress {
  readonly parts: readonly AddressPart[]
  readonly isFailover: boolean
  /** Options outside of the parentheses of a list; those of the part where there is no list. */
  readonly options: Options
}

/** Longest list of brokers. */
const MAX_PARTS = 64

/**
 * Reads `scheme://host:port?options` or `failover:(address,address)?options`, also without parentheses or with `//`
 * after the colon. An address may contain a password: messages do not quote it.
 */
export function parseBrokerAddress(text: string): BrokerAddress | { readonly problem: string } {
  const [, list] = /^failover:(?:\/\/)?(.*)$/is.exec(text.trim()) ?? []
  if (list === undefined) {
    const part = parsePart(text.trim())
    return 'problem' in part ? part : { parts: [part], isFailover: false, options: part.options }
  }
  const read = splitList(list.trim())
  if ('problem' in read) return read
  if (read.items.length > MAX_PARTS) return { problem: `expected at most ${MAX_PARTS} brokers in the list` }
  const parts: AddressPart[] = []
  for (const item of read.items) {
    const part = parsePart(item)
    if ('problem' in part) return part
    parts.push(part)
  }
  const options = parseOptions(read.query)
  return parts.length === 0
    ? { problem: 'expected at least one broker in the list' }
    : { parts, isFailover: true, options }
}

function splitList(list: string): { items: string[]; query: string } | { problem: string } {
  if (!list.startsWith('(')) return { items: itemsOf(list), query: '' }
  const end = list.lastIndexOf(')')
  if (end === -1) return { problem: 'expected ")" at the end of the list of brokers' }
  const rest = list.slice(end + 1).trim()
  if (rest !== '' && !rest.startsWith('?'))
    return { problem: 'expected nothing but "?options" after the list of brokers' }
  return { items: itemsOf(list.slice(1, end)), query: rest.slice(1) }
}

/** Splits at commas before an address, since values of options may contain commas. */
function itemsOf(list: string): string[] {
  return list
    .split(/,(?=\s*[a-z][a-z0-9+.-]*:)/i)
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

function parsePart(text: string): AddressPart | { readonly problem: string } {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined) return { problem: 'expected an address like tcp://host:61616' }
  const url = URL.parse(text)
  if (url === null || url.hostname === '') return { problem: `expected ${scheme}://host:port` }
  if (url.username !== '' || url.password !== '') {
    return { problem: `${scheme}://${url.host}: expected user and password as properties, not in the address` }
  }
  return {
    scheme,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? null : Number(url.port),
    options: parseOptions(url.search.slice(1)),
  }
}

function parseOptions(query: string): Options {
  return new Map(new URLSearchParams(query))
}
