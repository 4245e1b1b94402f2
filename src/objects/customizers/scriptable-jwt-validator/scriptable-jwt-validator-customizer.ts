import { type JwtValidatorCustomizer, JwtValidatorCustomizerKind } from '#contracts'
import { defineType } from '#schema'
import { ClaimConstraints, type ObjectScript, SCRIPT_EVENTS } from '#scripts'
import { EVENTS as LIB_EVENTS } from '../../lib/scripts/log-events.ts'
import { openScript } from '../../lib/scripts/open-script.ts'
import { scriptFields, scriptRules } from '../../lib/scripts/script-fields.ts'

/** Validates further claims of tokens by a script. */
export const ScriptableJwtValidatorCustomizer = defineType({
  name: 'ScriptableJwtValidatorCustomizer',
  kind: JwtValidatorCustomizerKind,
  summary: 'Adds claim checks by a script to the validation of JWTs.',
  events: [LIB_EVENTS.SCRIPT_NOT_RELOADED, ...Object.values(SCRIPT_EVENTS)],
  config: scriptFields(['builder']),
  rules: scriptRules(),
  create: async (config, env) => customizerOf(await openScript(config, env, ['builder'])),
})

/** The script returns true, or violations. Any other value is a fault: the token is rejected. */
function customizerOf(script: ObjectScript): JwtValidatorCustomizer {
  return {
    violations: async (claims, exchange) => {
      const values = { builder: new ClaimConstraints(claims) }
      return violationsIn(await script.evaluate({ exchange, result: 'json', values }))
    },
  }
}

function violationsIn(result: unknown): readonly string[] {
  if (result === true) return []
  if (result === false) return ['the claims of the token are not those that are wanted']
  if (Array.isArray(result) && result.every((each) => typeof each === 'string')) return result
  throw new TypeError('expected the script to return true, false, or an array of violations')
}
