import { type ResourceUriProvider, ResourceUriProviderKind } from '#contracts'
import { defineType } from '#schema'
import type { ObjectScript } from '#scripts'
import { SCRIPT_EVENTS } from '#scripts'
import { EVENTS as LIB_EVENTS } from '../../lib/scripts/log-events.ts'
import { openScript } from '../../lib/scripts/open-script.ts'
import { scriptFields, scriptRules } from '../../lib/scripts/script-fields.ts'

/** Determines the resource of a request by a script. */
export const ScriptableResourceUriProvider = defineType({
  name: 'ScriptableResourceUriProvider',
  kind: ResourceUriProviderKind,
  summary: 'Computes the resource URI of policy decisions by a script.',
  events: [LIB_EVENTS.SCRIPT_NOT_RELOADED, ...Object.values(SCRIPT_EVENTS)],
  config: scriptFields(),
  rules: scriptRules(),
  create: async (config, env) => resourceBy(await openScript(config, env)),
})

/** A result other than text is a fault: a decision needs a resource. */
function resourceBy(script: ObjectScript): ResourceUriProvider {
  return {
    resourceUri: async (exchange) => {
      const resource = await script.evaluate({ exchange, result: 'text' })
      if (typeof resource === 'string' && resource !== '') return resource
      const got = resource === '' ? 'an empty string' : 'null'
      throw new TypeError(`expected the script to return a resource URL, got ${got}`)
    },
  }
}
