import { BlockList, isIP } from 'node:net'
import { plainAddress } from '#http'
import { type Field, field } from '#schema'

/** A CIDR block; a single address is a block with the full prefix length. */
export interface AddressBlock {
  readonly address: string
  readonly prefix: number
  readonly family: 'ipv4' | 'ipv6'
}

const EXAMPLES = 'an IP address or a block such as "10.0.0.0/8" or "2001:db8::/32"'

/** An IP address or a block in CIDR notation. */
export function addressBlock(): Field<AddressBlock> {
  return field({ label: 'an IP address or block', schema: () => ({ type: 'string' }) }, (value, report) => {
    const block = typeof value === 'string' ? parseBlock(value.trim()) : null
    if (block !== null) return block
    report(`expected ${EXAMPLES}, got ${JSON.stringify(value)}`)
    return undefined
  })
}

function parseBlock(text: string): AddressBlock | null {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  // A zone (`fe80::1%eth0`) is an interface of one host.
  if (version === 0 || address.includes('%') || rest.length > 0) return null
  const width = version === 6 ? 128 : 32
  const prefix = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : -1
  if (prefix < 0 || prefix > width) return null
  return { address, prefix, family: version === 6 ? 'ipv6' : 'ipv4' }
}

/** A test for addresses in any of the blocks. IPv4-mapped IPv6 addresses count as IPv4 (threats B20). */
export function addressIn(blocks: readonly AddressBlock[]): (address: string) => boolean {
  const list = new BlockList()
  for (const { address, prefix, family } of blocks) list.addSubnet(address, prefix, family)
  return (text) => {
    const address = plainAddress(withoutZone(text))
    const version = isIP(address)
    return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4')
  }
}

function withoutZone(address: string): string {
  const percent = address.indexOf('%')
  return percent < 0 ? address : address.slice(0, percent)
}
