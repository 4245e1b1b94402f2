import { FilterKind } from '#contracts'
import type { Exchange, Filter, Handler, Response } from '#http'
import { defineType, type Environment } from '#schema'
import type { ObjectScript } from '#scripts'
import { SCRIPT_EVENTS } from '#scripts'
import { recordStatus } from '../../lib/audit/decisions.ts'
import { EVENTS as LIB_EVENTS } from '../../lib/scripts/log-events.ts'
import { openScript } from '../../lib/scripts/open-script.ts'
import { scriptFields, scriptRules } from '../../lib/scripts/script-fields.ts'

/** Processes requests and responses by a script. */
export const ScriptableFilter = defineType({
  name: 'ScriptableFilter',
  kind: FilterKind,
  summary: 'Processes requests and responses by a script.',
  target: 'sets',
  events: [LIB_EVENTS.SCRIPT_NOT_RELOADED, ...Object.values(SCRIPT_EVENTS)],
  config: scriptFields(['next']),
  rules: scriptRules(),
  create: async (config, env) => runBefore(await openScript(config, env, ['next']), env),
})

/** Returns no response where the script returns nothing: the route counts it and responds instead. */
function runBefore(script: ObjectScript, env: Pick<Environment, 'name'>): Filter {
  return async (exchange, next) => {
    if (exchange.audit === null) return (await script.evaluate({ exchange, next, result: 'response' })) as Response
    let passed: { readonly response: Response; readonly status: number } | null = null
    const observed: Handler = async (inner) => {
      const response = await next(inner)
      if (response) passed = { response, status: response.status }
      return response
    }
    const response = (await script.evaluate({ exchange, next: observed, result: 'response' })) as Response
    if (response) recordScript(exchange, env, response, passed)
    return response
  }
}

/** A response of another server is the decision of a script that did not pass the request on; one that it left as it was is not. */
function recordScript(
  exchange: Exchange,
  env: Pick<Environment, 'name'>,
  response: Response,
  passed: { readonly response: Response; readonly status: number } | null,
): void {
  const { status } = response
  const isUnchanged = passed !== null && response === passed.response && status === passed.status
  if (isUnchanged || (passed !== null && response.isReceived)) return
  recordStatus(exchange, env, status, 'response of the script')
}
