import type { Purpose, Secret } from './secret.ts'

/** A question for secrets. */
export interface SecretQuery {
  readonly secretId: string
  readonly purpose: Purpose
  /** Asks for the one secret of that alias or `kid`. */
  readonly stableId?: string
}

/** A source of secrets by id. */
export interface SecretStore {
  /**
   * Every secret of the id that is valid now, the active one first, whatever it can be used for: the provider compares
   * them with the purpose. Null where this store does not know the id, so that the next one is asked. Throws
   * SecretError where it knows the id but can not serve it.
   */
  find(query: SecretQuery): Promise<readonly Secret[] | null>
  /** Registers a callback for possible changes of secrets; returns the function that removes it. */
  onChange(listener: () => void): () => void
}

/** Answers queries from one or more stores, in order. Every failure is a SecretError with its reason. */
export interface SecretsProvider extends SecretStore {
  /** The active secret: the first of the id. Fails where that one can not serve the purpose (spec: Mapping rules). */
  active(query: Omit<SecretQuery, 'stableId'>): Promise<Secret>
  /** All secrets of the id that serve the purpose, in order, for verifying and decrypting; never none. */
  valid(query: Omit<SecretQuery, 'stableId'>): Promise<readonly Secret[]>
  /** The secret of a stable id; null where the id has none of that name. */
  named(query: SecretQuery & { readonly stableId: string }): Promise<Secret | null>
}
