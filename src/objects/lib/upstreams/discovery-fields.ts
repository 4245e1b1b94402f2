import {
  boolean,
  config,
  type DecodedMembers,
  type DiscoveryPlan,
  duration,
  object,
  oneOf,
  type Settled,
  string,
} from '#schema'

const NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_]([a-z0-9_-]{0,62}))*\.?$/i

const FIELDS = {
  dns: config(string({ nonEmpty: true })).meta({
    description:
      'Name and port, such as `shop.svc:8080`; with SRV records the name of a service, such as `_http._tcp.shop.svc`.',
  }),
  records: config(oneOf(['A', 'SRV']))
    .default('A')
    .meta({
      description: 'A: each address is a server (A and AAAA). SRV: each record is, with its port, priority and weight.',
    }),
  scheme: config(oneOf(['http', 'https']))
    .default('http')
    .meta({ description: 'Scheme of the servers.' }),
  refresh: config(duration({ min: '100 ms', unlimited: false }))
    .optional()
    .meta({ description: 'Time between two lookups; by default the TTL of the answer, from 5 seconds to 5 minutes.' }),
  allowLocal: config(boolean())
    .default(false)
    .meta({ description: 'Whether loopback and link-local addresses of an answer are used.' }),
}

/** The field `discovery`. */
export const DISCOVERY_FIELD = object(FIELDS).optional().meta({
  description: 'Servers that DNS names, beside `servers`. A lookup that fails, or finds none, leaves the last ones.',
})

type DiscoveryValues = Settled<DecodedMembers<typeof FIELDS>>

/** Reports names that can not be looked up. */
export function checkDiscovery(
  { dns, records }: DiscoveryValues,
  report: (path: string, message: string) => void,
): void {
  const [name = '', port] = dns.split(':')
  const isName = NAME.test(name) && dns.split(':').length <= 2
  if (records === 'SRV' && (!isName || port !== undefined))
    report('/discovery/dns', `expected the name of a service such as "_http._tcp.shop.svc", got ${JSON.stringify(dns)}`)
  if (records === 'A' && (!isName || !(Number(port) >= 1 && Number(port) <= 65_535)))
    report('/discovery/dns', `expected a name and a port such as "shop.svc:8080", got ${JSON.stringify(dns)}`)
}

export function discoveryPlanOf({ dns, refresh, ...others }: DiscoveryValues): DiscoveryPlan {
  const [name = '', port] = dns.split(':')
  return { ...others, name, port: port === undefined ? null : Number(port), refresh: refresh ?? null }
}
