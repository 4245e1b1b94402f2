import { ClientTlsKind, secretsProvider } from '#contracts'
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
      'Address of Redis or Valkey, such as `redis://redis.example.com:6379`, with `/2` for another database than 0; `rediss://` uses TLS. A list has nodes of a cluster, or sentinels where sentinelName is set.',
  }),
  sentinelName: config(string({ nonEmpty: true }))
    .optional()
    .meta({ description: 'Name of the primary that the sentinels monitor; the addresses are those of the sentinels.' }),
  sentinelUsername: config(string({ nonEmpty: true }))
    .optional()
    .meta({ description: 'User name for the sentinels; by default the user `default`.' }),
  sentinelPasswordSecretId: config(secretId())
    .optional()
    .meta({ description: 'Secret id of the password for the sentinels.' }),
  username: config(string({ nonEmpty: true }))
    .optional()
    .meta({ description: 'User name for Redis; by default the user `default`.' }),
  passwordSecretId: config(secretId()).optional().meta({ description: 'Secret id of the password for Redis.' }),
  secretsProvider: secretsProvider('the passwords'),
  tls: ref(ClientTlsKind).optional().meta({
    description:
      'TLS options for `rediss` addresses; by default the certificate must be issued by an authority that the platform trusts and name the host.',
  }),
  keyPrefix: config(string())
    .default('gateway:')
    .meta({ description: 'Prefix of all keys. Gateways that share counts have the same prefix.' }),
  timeout: config(duration({ zero: false, max: '10 seconds' }))
    .default('50 ms')
    .meta({
      description:
        'Time in which Redis must reply to a command. While Redis can not be reached, the load of a route waits as long for the connection, at least 1 second.',
    }),
}

export type RedisValues = Settled<DecodedMembers<typeof REDIS_FIELDS>>

/** Rules over several fields. */
export const REDIS_RULES = [
  needs('username', 'passwordSecretId'),
  needs('sentinelUsername', 'sentinelPasswordSecretId'),
  needs('sentinelPasswordSecretId', 'sentinelName'),
]

/** Reports problems that are visible only in settled values. */
export function checkRedis(
  values: Pick<RedisValues, 'url' | 'sentinelName' | 'tls'>,
  report: (path: string, message: string) => void,
): void {
  checkAddresses(values, report)
  if (values.tls !== undefined && values.url.length > 0 && !isSecure(values)) {
    report('/tls', 'expected none beside a url of redis; use rediss')
  }
}
