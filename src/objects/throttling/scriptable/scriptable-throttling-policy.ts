import { type ThrottlingPolicy, ThrottlingPolicyKind, type ThrottlingRate } from '#contracts'
import { defineType } from '#schema'
import type { ObjectScript } from '#scripts'
import { openScript } from '../../lib/script/open-script.ts'
import { scriptFields, scriptRules } from '../../lib/script/script-fields.ts'

/** Determines the rate by a script. */
export const ScriptableThrottlingPolicy = defineType({
  name: 'ScriptableThrottlingPolicy',
  kind: ThrottlingPolicyKind,
  summary: 'Chooses the rate by a script.',
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
