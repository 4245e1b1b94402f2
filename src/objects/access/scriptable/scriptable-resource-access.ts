import { type ResourceAccess, ResourceAccessKind } from '#contracts'
import { defineType } from '#schema'
import type { ObjectScript } from '#scripts'
import { SCRIPT_EVENTS } from '#scripts'
import { EVENTS as LIB_EVENTS } from '../../lib/scripts/log-events.ts'
import { openScript } from '../../lib/scripts/open-script.ts'
import { scriptFields, scriptRules } from '../../lib/scripts/script-fields.ts'

/** Determines the required scopes of a request by a script. */
export const ScriptableResourceAccess = defineType({
  name: 'ScriptableResourceAccess',
  kind: ResourceAccessKind,
  summary: 'Computes the required scopes of a request by a script.',
  events: [LIB_EVENTS.SCRIPT_NOT_RELOADED, ...Object.values(SCRIPT_EVENTS)],
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
