import { type AccessTokenResolver, AccessTokenResolverKind, type TokenResolution } from '#contracts'
import { isPlainObject, type JsonObject } from '#json'
import { type Clock, defineType } from '#schema'
import type { ObjectScript } from '#scripts'
import { resolutionOf } from '../../lib/access-token/token-info.ts'
import { openScript } from '../../lib/script/open-script.ts'
import { scriptFields, scriptRules } from '../../lib/script/script-fields.ts'

/** Lets a script find out what an access token stands for. */
export const ScriptableAccessTokenResolver = defineType({
  name: 'ScriptableAccessTokenResolver',
  kind: AccessTokenResolverKind,
  summary: 'Resolves access tokens by a script.',
  config: scriptFields(['token']),
  rules: scriptRules(),
  create: async (config, env) => resolveBy(await openScript(config, env, ['token']), env.clock),
})

function resolveBy(script: ObjectScript, clock: Clock): AccessTokenResolver {
  return {
    resolve: async (token, exchange) =>
      judge(token, await script.evaluate({ exchange, token, result: 'json' }), clock.now()),
  }
}

/** The script vouches for a token by what it returns; but what says itself that it is not active is not. */
function judge(token: string, info: unknown, now: number): TokenResolution {
  if (info === null) return { outcome: 'invalid', description: 'The access token is not known.' }
  if (!isPlainObject(info)) throw new TypeError('expected the script to return the token info as an object, or null')
  if (info['active'] !== undefined && info['active'] !== true) {
    return { outcome: 'invalid', description: 'The access token is not active.' }
  }
  return resolutionOf(token, info as JsonObject, now)
}
