import { FilterKind } from '#contracts'
import type { Filter, Response } from '#http'
import { defineType } from '#schema'
import type { ObjectScript } from '#scripts'
import { openScript } from '../../lib/script/open-script.ts'
import { scriptFields, scriptRules } from '../../lib/script/script-fields.ts'

/** Lets a script decide what becomes of a request and of its response. */
export const ScriptableFilter = defineType({
  name: 'ScriptableFilter',
  kind: FilterKind,
  summary: 'Runs a script for each request, which passes it on, changes it, or answers it.',
  target: 'sets',
  config: scriptFields(['next']),
  rules: scriptRules(),
  create: async (config, env) => runBefore(await openScript(config, env, ['next'])),
})

/** A script that returns nothing gives no response: the boundary of the route counts that and answers in its place. */
function runBefore(script: ObjectScript): Filter {
  return async (exchange, next) => (await script.evaluate({ exchange, next, result: 'response' })) as Response
}
