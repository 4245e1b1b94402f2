import {
  adapter,
  kind,
  type Purpose,
  type Secret,
  type SecretQuery,
  type SecretStore,
  type SecretsProvider,
} from '#schema'

/** Why a query failed; names ids and stores, never a secret. */
export class SecretError extends Error {
  readonly code = 'GW_SECRET_UNAVAILABLE'

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SecretError'
  }
}

/**
 * Queries stores in order; the first that has an id supplies its secrets. A provider is a store itself, so that providers can be
 * chained.
 */
export function providerOf(stores: readonly SecretStore[]): SecretsProvider {
  const find = async (query: SecretQuery): Promise<readonly Secret[] | null> => {
    for (const store of stores) {
      const found = await store.find(query)
      if (found !== null) return found
    }
    return null
  }
  const found = async (query: SecretQuery): Promise<readonly Secret[]> => {
    const secrets = await find(query)
    if (secrets !== null) return secrets
    throw new SecretError(`no secret store knows the secret id "${query.secretId}"`)
  }
  return {
    find,
    active: async ({ secretId, purpose }) => {
      const [first] = await found({ secretId, purpose })
      if (first === undefined) throw new SecretError(`the secret id "${secretId}" has no secret`)
      const refusal = first.refusal(purpose)
      if (refusal !== null) throw refused(first, purpose, refusal)
      return first
    },
    valid: async ({ secretId, purpose }) => serving(await found({ secretId, purpose }), secretId, purpose),
    named: async (query) => {
      const named = (await found(query)).filter(({ stableId }) => stableId === query.stableId)
      return named.length === 0 ? null : (serving(named, query.secretId, query.purpose)[0] as Secret)
    },
    problemOf: (secretId) => problemIn(stores, secretId),
    onChange: (listener) => {
      const stops = stores.map((store) => store.onChange(listener))
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}

/** Why the first store that has an id can not read its secrets now; undefined where none has it. */
export function problemIn(stores: Iterable<SecretStore>, secretId: string): Error | null | undefined {
  for (const store of stores) {
    const problem = store.problemOf?.(secretId)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Warnings about stores that have keys for every id and stand before others; `place` is the pointer of the list. */
export function warningsOfOrder(stores: readonly SecretStore[], place: string): { pointer: string; message: string }[] {
  return stores.slice(0, -1).flatMap(({ hasEveryId }, at) => {
    return hasEveryId === true ? [{ pointer: `${place}/${at}`, message: HIDES_OTHERS }] : []
  })
}

const HIDES_OTHERS =
  'its keys are used for every secret id, so that tokens are verified with them in place of the keys of the stores after it; name its own ids in secretIds, or put it last'

/** The secrets that fit a purpose; throws with the reason where none does. */
function serving(secrets: readonly Secret[], secretId: string, purpose: Purpose): readonly Secret[] {
  const serving = secrets.filter((secret) => secret.refusal(purpose) === null)
  if (serving.length > 0) return serving
  const [first] = secrets
  if (first === undefined) throw new SecretError(`the secret id "${secretId}" has no secret`)
  throw refused(first, purpose, first.refusal(purpose) as string)
}

function refused({ secretId, stableId, source }: Secret, purpose: Purpose, refusal: string): SecretError {
  const name = stableId === null ? '' : `"${stableId}" of `
  const place = source === null ? '' : ` in ${source}`
  return new SecretError(`the secret ${name}the secret id "${secretId}"${place} can not serve ${purpose}: ${refusal}`)
}

export const SecretStoreKind = kind<SecretStore>('SecretStore')

/** A store is accepted where a provider is expected. */
export const SecretsProviderKind = kind<SecretsProvider>('SecretsProvider', [
  adapter(SecretStoreKind, (store) => providerOf([store])),
])
