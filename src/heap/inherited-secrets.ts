import { problemIn, SecretStoreKind } from '#contracts'
import { type Field, list, object, ref, type Secret, type SecretQuery, type SecretStore } from '#schema'

/** The legacy field `secrets` of routes and config.json, used before objects had a `secretsProvider` (spec: Versioning 4). */
export function secretsField(): Field {
  return object({
    stores: list(ref(SecretStoreKind)).meta({
      description: 'Stores, looked up in order, after the own provider of an object and before parent documents.',
    }),
  })
    .optional()
    .meta({
      description: 'Secret stores for the objects of this document and of the documents below it.',
      replacement: 'give each object the secretsProvider it is to use',
    })
}

/**
 * The stores of a document and its parents, as one store. They are built on the first lookup, since the caller may be one
 * of the objects that are being built.
 */
export class InheritedSecrets implements SecretStore {
  readonly #stores: () => AsyncIterable<SecretStore>
  readonly #listeners = new Set<() => void>()
  readonly #heard = new Map<SecretStore, () => void>()
  #isReleased = false

  constructor(stores: () => AsyncIterable<SecretStore>) {
    this.#stores = stores
  }

  async find(query: SecretQuery): Promise<readonly Secret[] | null> {
    for await (const store of this.#stores()) {
      this.#hear(store)
      const found = await store.find(query)
      if (found !== null) return found
    }
    return null
  }

  /** Of the stores used so far. */
  problemOf(secretId: string): Error | null | undefined {
    return problemIn(this.#heard.keys(), secretId)
  }

  /** Subscribes to changes of the stores used so far. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Called when the heap is disposed. */
  release(): void {
    this.#isReleased = true
    for (const stop of this.#heard.values()) stop()
    this.#heard.clear()
  }

  #hear(store: SecretStore): void {
    // A request of a retired route may still look up secrets; stores of parents live on, and would keep its listener.
    if (this.#isReleased || this.#heard.has(store)) return
    const tell = () => {
      for (const listener of this.#listeners) listener()
    }
    this.#heard.set(store, store.onChange(tell))
  }
}
