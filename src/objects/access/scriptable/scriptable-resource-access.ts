import { type ResourceAccess, ResourceAccessKind } from '#contracts'
import { defineType } from '#schema'
import type { ObjectScript } from '#scripts'
import { openScript } from '../../lib/script/open-script.ts'
import { scriptFields, scriptRules } from '../../lib/script/script-fields.ts'

/** Lets a script say which scopes a request needs. */
export const ScriptableResourceAccess = defineType({
  name: 'ScriptableResourceAccess',
  kind: ResourceAccessKind,
  summary: 'Says by a script which scopes a request needs.',
  config: scriptFields(),
  rules: scriptRules(),
  create: async (config, env) => scopesBy(await openScript(config, env)),
})

/** Whatever is not a set of scopes is a fault: a request that needs nothing is one for which the script says so. */
function scopesBy(script: ObjectScript): ResourceAccess {
  return {
    requiredScopes: async (exchange) => new Set((await script.evaluate({ exchange, result: 'texts' })) as string[]),
  }
}
