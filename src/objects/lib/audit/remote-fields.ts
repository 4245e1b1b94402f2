import { FORMAT_NAMES } from '#audit'
import {
  type ClientTls,
  ClientTlsKind,
  DEFAULT_TLS_PLAN,
  type TlsPlan,
  type TransportRenewal,
  tlsPlanOf,
} from '#contracts'
import type { SecretsProvider } from '#schema'
import { ConfigError, config, duration, oneOf, ref } from '#schema'
import { listenToAll } from '../tls/joined-managers.ts'

/** Bound of the times of a transport: the writer aborts a call after a minute. */
const MAX_TIME = { unlimited: false, zero: false, max: '50 seconds', because: 'a call is given up after a minute' }

/** A time limit of a destination. */
export const timeLimit = (standard: string, description: string) =>
  config(duration(MAX_TIME)).default(standard).meta({ description })

export const formatField = config(oneOf(FORMAT_NAMES)).default('common').meta({
  description:
    'Schema of the events: `common`, the fields of the gateway; `ecs`, the Elastic Common Schema; `ocsf`, the Open Cybersecurity Schema Framework.',
})

export const tlsField = (description: string) => ref(ClientTlsKind).optional().meta({ description })

/** Keys and trust as they are now. */
export function readTls(tls: ClientTls | undefined): Promise<TlsPlan> {
  return tls === undefined ? Promise.resolve(DEFAULT_TLS_PLAN) : tlsPlanOf(tls)
}

/** Reads a transport again when its secrets, keys or trust change. */
export function renewalOf(
  read: TransportRenewal['read'],
  tls: ClientTls | undefined,
  provider?: SecretsProvider,
): TransportRenewal {
  const sources = [provider, tls?.keys, tls?.trust].filter((source) => source !== undefined && source !== null)
  return { read, onChange: (listener) => listenToAll(sources, listener) }
}

/** A secret as text. A missing one is a problem at `pointer`. */
export async function secretText(provider: SecretsProvider, secretId: string, pointer: string): Promise<string> {
  try {
    return (await provider.active({ secretId, purpose: 'GENERIC' })).revealBytes().toString('utf8')
  } catch (error) {
    throw new ConfigError([{ pointer, message: (error as Error).message }], { cause: error })
  }
}
