import { HandlerKind } from '#contracts'
import type { Handler, Response } from '#http'
import { defineType, type Environment } from '#schema'
import type { ObjectScript } from '#scripts'
import { SCRIPT_EVENTS } from '#scripts'
import { recordResponse } from '../../lib/audit/decisions.ts'
import { EVENTS as LIB_EVENTS } from '../../lib/scripts/log-events.ts'
import { openScript } from '../../lib/scripts/open-script.ts'
import { scriptFields, scriptRules } from '../../lib/scripts/script-fields.ts'

/** Handles requests by a script. */
export const ScriptableHandler = defineType({
  name: 'ScriptableHandler',
  kind: HandlerKind,
  summary: 'Responds with the result of a script.',
  events: [LIB_EVENTS.SCRIPT_NOT_RELOADED, ...Object.values(SCRIPT_EVENTS)],
  config: scriptFields(),
  rules: scriptRules(),
  create: async (config, env) => answerWith(await openScript(config, env), env),
})

/** Returns no response where the script returns nothing: the route counts it and responds instead. */
function answerWith(script: ObjectScript, env: Pick<Environment, 'name'>): Handler {
  return async (exchange) => {
    const response = (await script.evaluate({ exchange, result: 'response' })) as Response
    if (response !== null && response !== undefined) recordResponse(exchange, env, response, 'response of the script')
    return response
  }
}
