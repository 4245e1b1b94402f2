import { FilterKind } from '#contracts'
import type { Filter, Response } from '#http'
import { defineType, type Environment } from '#schema'
import type { ObjectScript } from '#scripts'
import { recordResponse } from '../../lib/audit/decisions.ts'
import { openScript } from '../../lib/script/open-script.ts'
import { scriptFields, scriptRules } from '../../lib/script/script-fields.ts'

/** Processes requests and responses by a script. */
export const ScriptableFilter = defineType({
  name: 'ScriptableFilter',
  kind: FilterKind,
  summary: 'Runs a script for each request, which passes it on, changes it, or answers it.',
  target: 'sets',
  config: scriptFields(['next']),
  rules: scriptRules(),
  create: async (config, env) => runBefore(await openScript(config, env, ['next']), env),
})

/** Returns no response where the script returns nothing: the route counts it and responds instead. */
function runBefore(script: ObjectScript, env: Pick<Environment, 'name'>): Filter {
  return async (exchange, next) => {
    const response = (await script.evaluate({ exchange, next, result: 'response' })) as Response
    if (response) recordResponse(exchange, env, response, 'response of the script')
    return response
  }
}
