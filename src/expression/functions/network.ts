import { isIPv4, isIPv6 } from 'node:net'
import { EvaluationError } from '../errors.ts'
import { text } from './arguments.ts'
import { define, type FunctionDefinition } from './definition.ts'

/** Functions on network addresses. */
export const networkFunctions: readonly FunctionDefinition[] = [
  define('ipMatch', 'address, cidr', ([address, cidr]) => {
    const ip = text('ipMatch()', address)
    const network = text('ipMatch()', cidr)
    return ip !== null && network !== null && ipMatch(ip, network)
  }),
]

function ipMatch(address: string, cidr: string): boolean {
  const found = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(cidr)
  const network = found === null ? null : addressBits(found[1]!)
  const length = Number(found?.[2] ?? network?.length)
  if (network === null || length > network.length) {
    throw new EvaluationError('ipMatch() expected a network such as 10.0.0.0/8 or 2001:db8::/32')
  }
  const bits = addressBits(address)
  return bits !== null && bits.length === network.length && bits.slice(0, length) === network.slice(0, length)
}

/** The longest IPv6 address has 45 characters; a zone may follow it. */
const maxAddressLength = 256

/** The bits of an address; an IPv4-mapped IPv6 address gives those of the IPv4 address. */
function addressBits(text: string): string | null {
  if (text.length > maxAddressLength) return null
  const plain = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text
  const [address = ''] = plain.split('%', 1)
  if (isIPv4(address)) return bitsOf(address.split('.').map(Number), 8)
  if (!isIPv6(address)) return null
  const words = wordsOf(address)
  const mapped = words.slice(0, 5).every((word) => word === 0) && words[5] === 0xffff
  return bitsOf(mapped ? words.slice(6) : words, 16)
}

function wordsOf(address: string): number[] {
  const plain = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
    const [a, b, c, d] = parts.map(Number) as [number, number, number, number]
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
  const [head, tail] = plain.split('::') as [string, string?]
  const parse = (part: string | undefined): number[] =>
    part === undefined || part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16))
  const [front, back] = [parse(head), parse(tail)]
  return [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back]
}

function bitsOf(numbers: readonly number[], width: number): string {
  return numbers.map((number) => number.toString(2).padStart(width, '0')).join('')
}
