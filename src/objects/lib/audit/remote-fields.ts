import { DEFAULT_TLS_PLAN, FORMAT_NAMES, type TlsPlan, tlsPlanOf } from '#audit'
import { type ClientTls, ClientTlsKind, SecretsProviderKind } from '#contracts'
import type { SecretsProvider } from '#schema'
import { ConfigError, config, duration, oneOf, ref } from '#schema'

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

export const secretsProviderField = ref(SecretsProviderKind).optional().meta({
  description: 'Where secrets are looked up first; then in the secrets of the file and its parents.',
})

/** Keys and trust as they are now: they are read again when the object is created again. */
export function readTls(tls: ClientTls | undefined): Promise<TlsPlan> {
  return tls === undefined ? Promise.resolve(DEFAULT_TLS_PLAN) : tlsPlanOf(tls)
}

/** A secret as text. A missing one is a problem at `pointer`. */
export async function secretText(provider: SecretsProvider, secretId: string, pointer: string): Promise<string> {
  try {
    return (await provider.active({ secretId, purpose: 'GENERIC' })).revealBytes().toString('utf8')
  } catch (error) {
    throw new ConfigError([{ pointer, message: (error as Error).message }])
  }
}
