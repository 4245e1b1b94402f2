import { type ThrottlingPolicy, ThrottlingPolicyKind, type ThrottlingRate } from '#contracts'
import { defineType } from '#schema'
import type { ObjectScript } from '#scripts'
import { SCRIPT_EVENTS } from '#scripts'
import { EVENTS as LIB_EVENTS } from '../../lib/scripts/log-events.ts'
import { openScript } from '../../lib/scripts/open-script.ts'
import { scriptFields, scriptRules } from '../../lib/scripts/script-fields.ts'

/** Determines the rate by a script. */
export const ScriptableThrottlingPolicy = defineType({
  name: 'ScriptableThrottlingPolicy',
  kind: ThrottlingPolicyKind,
  summary: 'Computes the rate by a script.',
  events: [LIB_EVENTS.SCRIPT_NOT_RELOADED, ...Object.values(SCRIPT_EVENTS)],
  config: scriptFields(),
  rules: scriptRules(),
  create: async (config, env) => rateBy(await openScript(config, env)),
})

/** The script returns a ThrottlingRate, or null for no limit; any other result is a fault. */
function rateBy(script: ObjectScript): ThrottlingPolicy {
  return {
    rateFor: async (exchange) => (await script.evaluate({ exchange, result: 'rate' })) as ThrottlingRate | null,
  }
}
