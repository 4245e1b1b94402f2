import { normalRealm } from './realm-uri.ts'

/** Admits every realm. */
const ANY = '*'

/**
 * Realms whose sessions and tokens are admitted. Servers of the OpenAM lineage return sessions of any realm under the path of
 * every realm, so that the realm in the response must be checked. Names are compared case-insensitively, as the server does.
 */
export class AdmittedRealms {
  readonly #admitted: ReadonlySet<string>
  readonly #admitsAny: boolean

  constructor(realm: string, shared: readonly string[]) {
    this.#admitted = new Set([realm, ...shared].map(comparable))
    this.#admitsAny = shared.includes(ANY)
  }

  admits(realm: string): boolean {
    return this.#admitsAny || this.#admitted.has(comparable(realm))
  }
}

/** Whether a text is valid in `sharedRealms`. */
export function isRealmOrAny(text: string): boolean {
  return text === ANY || text.startsWith('/')
}

function comparable(realm: string): string {
  return normalRealm(realm).toLowerCase()
}
