import { AdmittedRealms } from '#access-manager'
import type { AmService, TokenRejection } from '#contracts'
import type { Uri } from '#http'
import type { JsonObject } from '#json'

const FOREIGN: TokenRejection = { outcome: 'invalid', description: 'The access token is of another realm.' }

/** Rejects a token of a realm that is not admitted; a response without a realm passes. */
export type RealmCheck = (info: JsonObject) => TokenRejection | null

/** Admits the realms of an access manager. */
export function realmOf(amService: AmService | undefined): RealmCheck {
  return checkBy(amService === undefined ? () => true : (realm) => amService.admitsRealm(realm))
}

/** Admits the realm in the URL of a tokeninfo endpoint of OpenAM, and the shared realms. */
export function realmOfEndpoint(endpoint: Uri, shared: readonly string[]): RealmCheck {
  const realm = realmIn(endpoint)
  const admittedRealms = realm === null ? null : new AdmittedRealms(realm, shared)
  return checkBy((found) => admittedRealms?.admits(found) ?? true)
}

function checkBy(admits: (realm: string) => boolean): RealmCheck {
  return ({ realm }) => (typeof realm === 'string' && !admits(realm) ? FOREIGN : null)
}

/** `?realm=`, else `/oauth2/realms/root/realms/a/tokeninfo`, or `/oauth2/a/tokeninfo` of older servers. */
function realmIn({ rawQuery, rawPath }: Uri): string | null {
  const named = new URLSearchParams(rawQuery ?? '').get('realm')
  if (named !== null) return named
  const names = /\/oauth2((?:\/[^/]+)*)\/tokeninfo$/.exec(rawPath)?.[1]?.split('/').slice(1)
  if (names === undefined) return null
  const isLong = names[0] === 'realms' && names[1] === 'root'
  const short = isLong ? names.slice(2).filter((_, at) => at % 2 === 1) : names
  return `/${short.map(decodeURIComponent).join('/')}`
}
