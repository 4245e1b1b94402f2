import { HandlerKind } from '#contracts'
import type { Handler, Response } from '#http'
import { defineType } from '#schema'
import type { ObjectScript } from '#scripts'
import { openScript } from '../../lib/script/open-script.ts'
import { scriptFields, scriptRules } from '../../lib/script/script-fields.ts'

/** Handles requests by a script. */
export const ScriptableHandler = defineType({
  name: 'ScriptableHandler',
  kind: HandlerKind,
  summary: 'Answers each request with what a script returns.',
  config: scriptFields(),
  rules: scriptRules(),
  create: async (config, env) => answerWith(await openScript(config, env)),
})

/** Returns no response where the script returns nothing: the route counts it and responds instead. */
function answerWith(script: ObjectScript): Handler {
  return async (exchange) => (await script.evaluate({ exchange, result: 'response' })) as Response
}
