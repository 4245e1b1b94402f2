import type { Purpose, Secret } from './secret.ts'

export interface SecretQuery {
  readonly secretId: string
  readonly purpose: Purpose
  /** Selects the secret of that alias or `kid`. */
  readonly stableId?: string
}

/** A source of secrets by id. */
export interface SecretStore {
  /** Whether it has keys for every id, so that those of stores after it are not used to verify and encrypt. */
  readonly hasEveryId?: boolean
  /**
   * Every secret of the id that is valid now, the active one first, for any purpose: the provider checks the purpose. Null
   * where the store does not have the id, so that the next store is queried. Throws SecretError where it has the id but can not
   * read its secrets.
   */
  find(query: SecretQuery): Promise<readonly Secret[] | null>
  /**
   * Why the secrets of an id can not be read now, while `find` may still return the last good ones; null where they can. Undefined
   * where the store does not have the id, so that the next store is queried.
   */
  problemOf?(secretId: string): Error | null | undefined
  /** Registers a callback for possible changes of secrets; returns the function that removes it. */
  onChange(listener: () => void): () => void
}

/** Queries one or more stores in order. Every failure is a SecretError with its reason. */
export interface SecretsProvider extends SecretStore {
  /** The active secret: the first of the id. Fails where it does not fit the purpose (spec: Mapping rules). */
  active(query: Omit<SecretQuery, 'stableId'>): Promise<Secret>
  /** All secrets of the id that fit the purpose, in order, for verifying and decrypting; never empty. */
  valid(query: Omit<SecretQuery, 'stableId'>): Promise<readonly Secret[]>
  /** The secret with a stable id; null where missing. */
  named(query: SecretQuery & { readonly stableId: string }): Promise<Secret | null>
}
