import { type AccessTokenResolver, AccessTokenResolverKind, type TokenResolution } from '#contracts'
import { isPlainObject, type JsonObject } from '#json'
import { type Clock, defineType } from '#schema'
import type { ObjectScript } from '#scripts'
import { SCRIPT_EVENTS } from '#scripts'
import { EVENTS as LIB_EVENTS } from '../../lib/scripts/log-events.ts'
import { openScript } from '../../lib/scripts/open-script.ts'
import { scriptFields, scriptRules } from '../../lib/scripts/script-fields.ts'
import { resolutionOf } from '../../lib/tokens/token-info.ts'

/** Resolves access tokens by a script. */
export const ScriptableAccessTokenResolver = defineType({
  name: 'ScriptableAccessTokenResolver',
  kind: AccessTokenResolverKind,
  summary: 'Resolves access tokens by a script.',
  events: [LIB_EVENTS.SCRIPT_NOT_RELOADED, ...Object.values(SCRIPT_EVENTS)],
  config: scriptFields(['token']),
  rules: scriptRules(),
  create: async (config, env) => resolveBy(await openScript(config, env, ['token']), env.clock),
})

function resolveBy(script: ObjectScript, clock: Clock): AccessTokenResolver {
  return {
    resolve: async (token, exchange) =>
      resolutionFrom(token, await script.evaluate({ exchange, token, result: 'json' }), clock.now()),
  }
}

/** The token is valid if the script returns an object without `active`, or with `active` true. */
function resolutionFrom(token: string, info: unknown, now: number): TokenResolution {
  if (info === null) return { outcome: 'invalid', description: 'The access token is unknown.' }
  if (!isPlainObject(info)) throw new TypeError('expected the script to return the token info as an object, or null')
  if (info['active'] !== undefined && info['active'] !== true) {
    return { outcome: 'invalid', description: 'The access token is not active.' }
  }
  return resolutionOf(token, info as JsonObject, now, { kind: 'tokenInfo' })
}
