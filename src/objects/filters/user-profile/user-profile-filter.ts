import {
  FilterKind,
  type UserProfile,
  UserProfileContext,
  type UserProfileService,
  UserProfileServiceKind,
} from '#contracts'
import { type Filter, respond } from '#http'
import type { JsonObject } from '#json'
import type { Logger } from '#logging'
import { converted, defineType, type Runtime, ref, runtime } from '#schema'
import { recordDenied } from '../../lib/audit/decisions.ts'
import { accessManagerFailed } from '../lib/access-manager-failure.ts'
import { EVENTS } from '../log-events.ts'

/** Provides the profile of a user. */
export const UserProfileFilter = defineType({
  name: 'UserProfileFilter',
  kind: FilterKind,
  summary: 'Adds profile attributes of the user to the contexts.',
  provides: [UserProfileContext],
  events: [EVENTS.PROFILE_UNAVAILABLE],
  config: {
    username: runtime('string').meta({
      description: 'Name of the user, such as `${contexts.ssoToken.info.username}`.',
    }),
    userProfileService: ref(UserProfileServiceKind).meta({ description: 'Service that looks up profiles.' }),
  },
  older: [
    converted(
      ['amService', 'ssoToken', 'profileAttributes'],
      'userProfileService',
      'use userProfileService with amService and profileAttributes, and the name of the user in username',
      olderService,
      ['username'],
    ),
  ],
  create: ({ username, userProfileService }, { logger }) => userProfile(username, userProfileService, logger),
})

/** The older filter took the user from a session token; the login filter before it provides the name. */
function olderService({ amService = null, profileAttributes }: JsonObject, others: JsonObject): JsonObject {
  return {
    userProfileService: {
      type: 'UserProfileService',
      config: { amService, ...(profileAttributes !== undefined && { profileAttributes }) },
    },
    username: others['username'] ?? '${contexts.ssoToken.info.username}',
  }
}

/** Adds the profile to the contexts; a request without a known user gets 403. */
function userProfile(username: Runtime<string>, profiles: UserProfileService, logger: Logger): Filter {
  return async (exchange, next) => {
    const name = await username(exchange)
    let profile: UserProfile | null
    try {
      profile = name === null ? null : await profiles.find(name, exchange)
    } catch (error) {
      return accessManagerFailed(error, { exchange, logger }, FAILURE)
    }
    if (profile !== null) return next(exchange.with(UserProfileContext, profile))
    const reason = name === null ? 'no name of a user' : 'no profile of the user'
    logger.debug({ reason, ...exchange.ids }, 'a request was denied')
    recordDenied(exchange, logger, reason)
    return respond(403, { 'Cache-Control': 'no-store' }, 'The request has no known user.\n')
  }
}

const FAILURE = { event: EVENTS.PROFILE_UNAVAILABLE, reason: 'user profile unavailable' }
