import { type Exposure, exposed } from '#expression'
import { type ContextKey, contextKey } from '#http'
import type { JsonObject, JsonValue } from '#json'

/** The profile of a user at the access manager, set by UserProfileFilter. Requests share it: it is never changed. */
export class UserProfile {
  /** The response of the access manager: lists of values by attribute, and single values such as `username`. */
  readonly rawInfo: JsonObject

  constructor(rawInfo: JsonObject) {
    this.rawInfo = rawInfo
  }

  /** The first value of an attribute as text; null where absent. */
  text(attribute: string): string | null {
    const value: JsonValue | undefined = Object.hasOwn(this.rawInfo, attribute) ? this.rawInfo[attribute] : null
    const first = Array.isArray(value) ? value[0] : value
    return typeof first === 'string' ? first : null
  }

  get [exposed](): Exposure<UserProfile> {
    return EXPOSURE
  }
}

const EXPOSURE: Exposure<UserProfile> = {
  kind: 'user profile',
  get: {
    username: (self) => self.text('username'),
    realm: (self) => self.text('realm'),
    commonName: (self) => self.text('cn'),
    distinguishedName: (self) => self.text('dn'),
    rawInfo: (self) => self.rawInfo,
  },
  call: { asJsonValue: (self) => self.rawInfo },
}

/** The context `userProfile`. */
export const UserProfileContext: ContextKey<UserProfile> = contextKey<UserProfile>('userProfile')
