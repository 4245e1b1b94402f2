import { type ResourceAccess, ResourceAccessKind } from '#contracts'
import { defineType } from '#schema'
import type { ObjectScript } from '#scripts'
import { openScript } from '../../lib/script/open-script.ts'
import { scriptFields, scriptRules } from '../../lib/script/script-fields.ts'

/** Determines the required scopes of a request by a script. */
export const ScriptableResourceAccess = defineType({
  name: 'ScriptableResourceAccess',
  kind: ResourceAccessKind,
  summary: 'Says by a script which scopes a request needs.',
  config: scriptFields(),
  rules: scriptRules(),
  create: async (config, env) => scopesBy(await openScript(config, env)),
})

/** Any result other than a set of scopes is a fault: requests without required scopes need an explicit empty set. */
function scopesBy(script: ObjectScript): ResourceAccess {
  return {
    requiredScopes: async (exchange) => new Set((await script.evaluate({ exchange, result: 'texts' })) as string[]),
  }
}
