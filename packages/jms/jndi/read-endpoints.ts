import type { Endpoint, ReconnectPlan } from '../producer-plan.ts'
import type { AddressPart, BrokerAddress, Options } from './broker-address.ts'
import type { Findings } from './findings.ts'
import { OptionReader } from './option-reader.ts'

/** Options of the addresses of one client library. */
interface AddressOptions {
  /** Prefix of options of a list that are for each of its brokers. */
  readonly nested: string
  /** Options without a meaning for a producer: of the client, of a connection, and of a list. */
  readonly harmless: { readonly client: RegExp; readonly transport: RegExp; readonly failover: RegExp }
  /** One broker; null where something is wrong, which is in the findings. */
  readPart(part: AddressPart, reader: OptionReader): Endpoint | null
}

/** Of the client libraries, where an address does not say otherwise. */
export const DEFAULT_RECONNECT: ReconnectPlan = { initialDelay: 10, maxDelay: 30_000, multiplier: 2 }

/** The brokers of an address. `reader` has its options, of which all are read but those of the brokers; the rest is reported. */
export function readEndpoints(
  address: BrokerAddress,
  reader: OptionReader,
  { nested, harmless, readPart }: AddressOptions,
  { path, findings }: { readonly path: readonly string[]; readonly findings: Findings },
): readonly Endpoint[] {
  if (!address.isFailover) {
    const endpoint = readPart(address.parts[0] as AddressPart, reader)
    reader.finish(either(harmless.client, harmless.transport))
    return endpoint === null ? [] : [endpoint]
  }
  const shared = nestedOptions(address.options, nested)
  const endpoints = address.parts.map((part) => {
    const own = new OptionReader(new Map([...shared, ...part.options]), findings, path)
    const endpoint = readPart(part, own)
    own.finish(harmless.transport)
    return endpoint
  })
  reader.finish(either(harmless.client, harmless.failover))
  return endpoints.filter((endpoint) => endpoint !== null)
}

function nestedOptions(options: Options, prefix: string): Options {
  const nested = [...options].filter(([name]) => name.startsWith(prefix))
  return new Map(nested.map(([name, value]) => [name.slice(prefix.length), value]))
}

function either(one: RegExp, other: RegExp): RegExp {
  return new RegExp(`${one.source}|${other.source}`)
}
