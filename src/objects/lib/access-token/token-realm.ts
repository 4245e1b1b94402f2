import { AdmittedRealms } from '#access-manager'
import type { AmService, TokenRejection } from '#contracts'
import type { Uri } from '#http'
import type { JsonObject } from '#json'

/** The refusal of a token of a realm that is not served here. */
const FOREIGN: TokenRejection = { outcome: 'invalid', description: 'The access token is of another realm.' }

/** Refuses a token of a realm that is not admitted; an answer without a realm passes. */
export type RealmCheck = (info: JsonObject) => TokenRejection | null

/** Compares with the realms of an access manager. */
export function realmOf(amService: AmService | undefined): RealmCheck {
  return checkBy(amService === undefined ? () => true : (realm) => amService.admitsRealm(realm))
}

/** Compares with the realm that a tokeninfo endpoint of OpenAM names, and with others that are shared. */
export function realmOfEndpoint(endpoint: Uri, shared: readonly string[]): RealmCheck {
  const realm = realmIn(endpoint)
  const admittedRealms = realm === null ? null : new AdmittedRealms(realm, shared)
  return checkBy((found) => admittedRealms?.admits(found) ?? true)
}

function checkBy(admits: (realm: string) => boolean): RealmCheck {
  return ({ realm }) => (typeof realm === 'string' && !admits(realm) ? FOREIGN : null)
}

/** `/oauth2/realms/root/realms/a/tokeninfo`, `/oauth2/a/tokeninfo` of older servers, or `?realm=`, which goes before. */
function realmIn({ rawQuery, rawPath }: Uri): string | null {
  const named = new URLSearchParams(rawQuery ?? '').get('realm')
  if (named !== null) return named
  const names = /\/oauth2((?:\/[^/]+)*)\/tokeninfo$/.exec(rawPath)?.[1]?.split('/').slice(1)
  if (names === undefined) return null
  const isLong = names[0] === 'realms' && names[1] === 'root'
  const short = isLong ? names.slice(2).filter((_, at) => at % 2 === 1) : names
  return `/${short.map(decodeURIComponent).join('/')}`
}
