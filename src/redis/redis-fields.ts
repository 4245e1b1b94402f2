import { ClientTlsKind, SecretsProviderKind } from '#contracts'
import {
  byShape,
  config,
  type DecodedMembers,
  duration,
  list,
  needs,
  ref,
  type Settled,
  secretId,
  string,
  url,
} from '#schema'
import { checkAddresses, isSecure } from './redis-addresses.ts'

const address = () => config(url(['redis', 'rediss']))

/** The fields of an object that connects to Redis or Valkey. */
export const REDIS_FIELDS = {
  url: byShape({ string: address(), array: list(address()) }).meta({
    description:
      'Address of Redis or Valkey, such as `redis://redis.example.com:6379`, with `/2` for another database than 0; `rediss://` speaks TLS. A list holds nodes of a cluster, or sentinels where sentinelName is given.',
  }),
  sentinelName: config(string({ nonEmpty: true }))
    .optional()
    .meta({ description: 'Name of the primary that sentinels watch over; the addresses are those of the sentinels.' }),
  sentinelUsername: config(string({ nonEmpty: true }))
    .optional()
    .meta({ description: 'Name of the gateway at the sentinels; by default the user `default`.' }),
  sentinelPasswordSecretId: config(secretId())
    .optional()
    .meta({ description: 'Secret id of the password at the sentinels, where they want one.' }),
  username: config(string({ nonEmpty: true }))
    .optional()
    .meta({ description: 'Name of the gateway at Redis; by default the user `default`.' }),
  passwordSecretId: config(secretId()).optional().meta({ description: 'Secret id of the password at Redis.' }),
  secretsProvider: ref(SecretsProviderKind).optional().meta({
    description: 'Where passwords are looked up; in the secrets of the file and its parents by default.',
  }),
  tls: ref(ClientTlsKind).optional().meta({
    description:
      'How TLS is spoken to `rediss` addresses; by default the certificate must lead to an authority the platform trusts and name the host.',
  }),
  keyPrefix: config(string())
    .prefault('gateway:')
    .meta({ description: 'What the names of all keys begin with. Gateways that count together have the same.' }),
  timeout: config(duration({ zero: false, max: '10 seconds' }))
    .prefault('50 ms')
    .meta({ description: 'How long an answer of Redis is waited for.' }),
}

/** The settled fields. */
export type RedisValues = Settled<DecodedMembers<typeof REDIS_FIELDS>>

/** Which fields go together. */
export const REDIS_RULES = [
  needs('username', 'passwordSecretId'),
  needs('sentinelUsername', 'sentinelPasswordSecretId'),
  needs('sentinelPasswordSecretId', 'sentinelName'),
]

/** Reports what only shows once the fields are settled. */
export function checkRedis(
  values: Pick<RedisValues, 'url' | 'sentinelName' | 'tls'>,
  report: (path: string, message: string) => void,
): void {
  checkAddresses(values, report)
  if (values.tls !== undefined && values.url.length > 0 && !isSecure(values)) {
    report('/tls', 'expected none beside a url of redis; use rediss')
  }
}
