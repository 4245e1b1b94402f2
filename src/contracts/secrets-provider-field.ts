import { Deferred, type Field, field, ref, type SecretsProvider, type SettleContext } from '#schema'
import { providerOf, SecretsProviderKind } from './secrets.ts'

/** What an object without its own provider has: the inherited stores, an error, or no secrets. */
type WithoutProvider = 'inherits' | 'fails' | 'none'

/**
 * The field `secretsProvider`. Settles to what looks up all secrets of the object: its own provider, and after it the stores of
 * the deprecated `secrets` of its document and of the documents above it.
 */
export function secretsProvider(content: string, without: 'none'): Field<Deferred<SecretsProvider> | undefined>
export function secretsProvider(content: string, without?: WithoutProvider): Field<Deferred<SecretsProvider>>
export function secretsProvider(content: string, without: WithoutProvider = 'inherits'): Field {
  const own = ref(SecretsProviderKind)
  const inherits = without === 'inherits' && { absent: () => new Lookup(null) }
  const described = field({ ...own.info.shape, ...inherits }, (value, report) => {
    const provider = own.decode(value, report)
    return provider && new Lookup(provider)
  }).meta({
    description: `Provider of ${content}; after it, the \`secrets\` of the file and of its parents are looked up.`,
  })
  return without === 'fails' ? described : described.optional()
}

class Lookup extends Deferred<SecretsProvider> {
  readonly #own: Deferred<SecretsProvider> | null

  constructor(own: Deferred<SecretsProvider> | null) {
    super()
    this.#own = own
  }

  override get content(): unknown {
    return this.#own
  }

  async settle(context: SettleContext, pointer: string): Promise<SecretsProvider | undefined> {
    if (this.#own === null) return context.inheritedSecrets()
    const own = (await this.#own.settle(context, pointer)) as SecretsProvider | undefined
    return own && providerOf([own, context.inheritedSecrets()])
  }
}
