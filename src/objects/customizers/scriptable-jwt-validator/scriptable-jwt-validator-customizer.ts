import { type JwtValidatorCustomizer, JwtValidatorCustomizerKind } from '#contracts'
import { defineType } from '#schema'
import { ClaimConstraints, type ObjectScript } from '#scripts'
import { openScript } from '../../lib/script/open-script.ts'
import { scriptFields, scriptRules } from '../../lib/script/script-fields.ts'

/** Lets a script make further demands on the claims of tokens. */
export const ScriptableJwtValidatorCustomizer = defineType({
  name: 'ScriptableJwtValidatorCustomizer',
  kind: JwtValidatorCustomizerKind,
  summary: 'Makes further demands on the claims of JSON Web Tokens by a script.',
  config: scriptFields(['builder']),
  rules: scriptRules(),
  create: async (config, env) => demandBy(await openScript(config, env, ['builder'])),
})

/** The script says true, or what is wrong. Any other value is a fault: the token is refused. */
function demandBy(script: ObjectScript): JwtValidatorCustomizer {
  return {
    violations: async (claims, exchange) => {
      const values = { builder: new ClaimConstraints(claims) }
      return violationsIn(await script.evaluate({ exchange, result: 'json', values }))
    },
  }
}

function violationsIn(said: unknown): readonly string[] {
  if (said === true) return []
  if (said === false) return ['the claims of the token are not those that are wanted']
  if (Array.isArray(said) && said.every((each) => typeof each === 'string')) return said
  throw new TypeError('expected the script to return true, false, or an array of strings that say what is wrong')
}
