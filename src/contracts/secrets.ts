import { adapter, kind } from '#schema'
import type { Purpose, Secret } from './secret.ts'

/** A question for secrets. */
export interface SecretQuery {
  readonly secretId: string
  readonly purpose: Purpose
  /** Asks for the one secret of that alias or `kid`. */
  readonly stableId?: string
}

/** Why a query failed; names ids and stores, never a secret. */
export class SecretError extends Error {
  readonly code = 'GW_SECRET_UNAVAILABLE'

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SecretError'
  }
}

/** Knows the secrets of some ids. */
export interface SecretStore {
  /**
   * The valid secrets that match, the active one first; null where this store does not know the id, so that the next
   * one is asked. Throws SecretError where it knows the id but can not serve it: constraints not met, source broken.
   */
  find(query: SecretQuery): Promise<readonly Secret[] | null>
  /** Told when secrets may have changed; gives the way to stop listening. */
  onChange(listener: () => void): () => void
}

/** Answers queries from one or more stores, in order. Every failure is a SecretError with its reason. */
export interface SecretsProvider {
  /** The active secret: the first of the id that serves the purpose. */
  active(query: Omit<SecretQuery, 'stableId'>): Promise<Secret>
  /** All valid secrets of the id in order, for verifying and decrypting. */
  valid(query: Omit<SecretQuery, 'stableId'>): Promise<readonly Secret[]>
  /** The secret of a stable id; null where the id has none of that name. */
  named(query: SecretQuery & { readonly stableId: string }): Promise<Secret | null>
  onChange(listener: () => void): () => void
}

/** Asks stores one after the other; the first that knows an id answers for it. */
export function providerOf(stores: readonly SecretStore[]): SecretsProvider {
  const find = async (query: SecretQuery): Promise<readonly Secret[]> => {
    for (const store of stores) {
      const found = await store.find(query)
      if (found !== null) return found
    }
    throw new SecretError(`no store knows the secret id "${query.secretId}"`)
  }
  const valid = async (query: Omit<SecretQuery, 'stableId'>): Promise<readonly Secret[]> => {
    const found = await find(query)
    if (found.length > 0) return found
    throw new SecretError(`the secret id "${query.secretId}" has no secret for ${query.purpose}`)
  }
  return {
    valid,
    active: async (query) => (await valid(query))[0] as Secret,
    named: async (query) => (await find(query)).find(({ stableId }) => stableId === query.stableId) ?? null,
    onChange: (listener) => {
      const stops = stores.map((store) => store.onChange(listener))
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}

/** The kind of secret stores. */
export const SecretStoreKind = kind<SecretStore>('SecretStore')

/** The kind of secrets providers; a store may stand where a provider is expected. */
export const SecretsProviderKind = kind<SecretsProvider>('SecretsProvider', [
  adapter(SecretStoreKind, (store) => providerOf([store])),
])
