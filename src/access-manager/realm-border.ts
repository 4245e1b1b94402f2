import { normalRealm } from './realm-uri.ts'

/** Admits every realm. */
const ANY = '*'

/**
 * Which realms sessions and tokens may be of. A server of the OpenAM lineage answers for those of any realm under every realm's path,
 * so that the answer itself has to be looked at. Names are compared without regard to case, as the server does.
 */
export class RealmBorder {
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

/** Whether a text can stand in `sharedRealms`. */
export function isRealmOrAny(text: string): boolean {
  return text === ANY || text.startsWith('/')
}

function comparable(realm: string): string {
  return normalRealm(realm).toLowerCase()
}
