import { normalRealm } from '#access-manager'
import { CACHE_METRICS } from '#cache'
import { AmServiceKind, UserProfileServiceKind, type UserProfileService as UserProfiles } from '#contracts'
import { boolean, config, defineType, duration, list, object, ref, string } from '#schema'
import { maximumSizeField, sweeperField } from '../../lib/caching/cache.ts'
import { ProfileCache } from './profile-cache.ts'
import { lookUpProfile, type ProfileSource } from './profile-lookup.ts'

const CACHE_FIELD = object({
  enabled: config(boolean()).default(false).meta({ description: 'Whether profiles are cached.' }),
  executor: sweeperField('profiles'),
  maximumSize: maximumSizeField('profiles'),
  maximumTimeToCache: config(duration({ zero: false, unlimited: false }))
    .default('1 minute')
    .meta({ description: 'Maximum time in the cache.' }),
})
  .optional()
  .meta({
    description: 'Cache of profiles. Without it each request causes a lookup. Notifications that name the user evict.',
  })

/** Looks up profiles of users at the access manager. */
export const UserProfileService = defineType({
  name: 'UserProfileService',
  kind: UserProfileServiceKind,
  summary: 'Caches user profiles of the access manager for UserProfileFilter.',
  metrics: CACHE_METRICS,
  config: {
    amService: ref(AmServiceKind).meta({
      description: 'The access manager; its agent needs the privilege to read profiles of users.',
    }),
    realm: config(string({ nonEmpty: true }))
      .optional()
      .meta({ description: 'Realm of the users; that of amService by default.' }),
    profileAttributes: list(config(string({ nonEmpty: true })))
      .optional()
      .meta({
        description:
          'Attributes of the profile to get, such as `mail`; by default all that the access manager returns. `username` is always among them, `roles` never.',
      }),
    cache: CACHE_FIELD,
  },
  check: ({ profileAttributes = [] }, report) => {
    for (const [at, name] of profileAttributes.entries()) {
      if (!/^[^\s,/]+$/.test(name))
        report(`/profileAttributes/${at}`, `expected the name of one attribute, got ${JSON.stringify(name)}`)
    }
  },
  create: ({ amService, realm, profileAttributes, cache }, env): UserProfiles => {
    const source: ProfileSource = {
      amService,
      realm: normalRealm(realm ?? amService.realm),
      attributes: profileAttributes ?? null,
    }
    if (cache?.enabled !== true) return { find: (username, exchange) => lookUpProfile(source, username, exchange) }
    const profiles = new ProfileCache(amService, cache, env)
    return {
      find: (username, exchange) => profiles.find(username, () => lookUpProfile(source, username, exchange)),
    }
  },
})
