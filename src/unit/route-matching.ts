import type { ConditionResult, ConnectorSettings, RouteMatch, SimulatedRequestMessage, UnitSettings } from '#contracts'
import { Body, BodyTooLargeError, type Exchange, type TemporaryStorage } from '#http'
import { type Refusal, type SimulatedRequest, simulateRequest } from '#listener'
import { listenerSettings } from './connectors.ts'
import type { LiveRouter } from './live-router.ts'
import type { Routers } from './routers.ts'

type ConnectorFields = Pick<UnitSettings, 'connectors' | 'settings'>

/** Runs a simulated request through the checks of the first connector. */
export function simulateAdmission(
  simulated: SimulatedRequest,
  unit: ConnectorFields,
  storage: TemporaryStorage,
): { readonly exchange: Exchange } | Refusal {
  const connector = unit.connectors[0] as ConnectorSettings
  return simulateRequest(simulated, listenerSettings(unit, connector, connector.ports[0] ?? 0, storage))
}

/**
 * Evaluates the conditions of a router's routes in the order and with the code of live traffic, until one is true. With
 * `parts`, the results have the values of their operands.
 */
export async function matchRoutes(
  router: LiveRouter,
  exchange: Exchange,
  { parts = false }: { readonly parts?: boolean } = {},
): Promise<RouteMatch> {
  const tried: ConditionResult[] = []
  for (const route of router.routes) {
    let failure: string | undefined
    const value = await route.matches(exchange, (error) => {
      failure = (error as Error).message
    })
    const { id, name, condition } = route
    const details = parts ? { parts: route.conditionParts(exchange) } : {}
    tried.push({ id, name, condition, value, ...(failure !== undefined && { failure }), ...details })
    if (value) return { tried, route: id }
  }
  return { tried, route: null }
}

/** Matches a simulated request of the control plane against one router. */
export async function matchSimulatedRequest(
  { router, request }: { readonly router: string; readonly request: SimulatedRequestMessage },
  routers: Routers,
  settings: ConnectorFields,
  storage: TemporaryStorage,
): Promise<RouteMatch | { readonly refused: { readonly status: number; readonly reason: string } }> {
  const body = request.body === '' ? Body.empty : Body.of(request.body)
  const arrived = simulateAdmission({ ...request, body }, settings, storage)
  if (!('exchange' in arrived)) return { refused: { status: arrived.status, reason: arrived.problem } }
  const live = routers.live.find(({ qualifiedName }) => qualifiedName === router)
  try {
    return live === undefined ? { tried: [], route: null } : await matchRoutes(live, arrived.exchange)
  } catch (error) {
    // The caller waits for a response, and a dry run must not end the unit.
    const status = error instanceof BodyTooLargeError ? error.status : 500
    return { refused: { status, reason: (error as Error).message } }
  } finally {
    arrived.exchange.complete()
  }
}
