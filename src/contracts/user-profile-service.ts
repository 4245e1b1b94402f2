import type { Exchange } from '#http'
import { kind } from '#schema'
import type { UserProfile } from './contexts/user-profile.ts'

/** Looks up profiles of users at the access manager. */
export interface UserProfileService {
  /** The profile of a user; null for an unknown user. Rejects with an AccessManagerError where the lookup fails. */
  find(username: string, exchange: Exchange): Promise<UserProfile | null>
}

export const UserProfileServiceKind = kind<UserProfileService>('UserProfileService')
