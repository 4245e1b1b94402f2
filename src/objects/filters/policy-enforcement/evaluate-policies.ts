import { callRest } from '#access-manager'
import { AccessManagerError, type AmService, type PolicyDecision } from '#contracts'
import type { Exchange } from '#http'
import { isPlainObject, type JsonObject, type JsonValue, numberValue } from '#json'

/** A decision with its expiry. */
export interface Decision {
  /** Context of requests; frozen, since requests share it. */
  readonly context: PolicyDecision
  /** Milliseconds since the epoch; null without an expiry. */
  readonly ttl: number | null
}

/** The access manager rejects the subject, for example an expired session: the request is denied. */
export class SubjectRefused {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/**
 * Requests a decision about a resource from the access manager. Rejects with an AccessManagerError without a valid response; a
 * decision about another resource is an error, never a permission.
 */
export async function evaluatePolicies(
  amService: AmService,
  realm: string,
  body: JsonObject,
  resource: string,
  exchange: Exchange,
): Promise<Decision | SubjectRefused> {
  const uri = amService.restUri('policies', realm)
  uri.rawQuery = '_action=evaluate'
  const call = { method: 'POST', uri, resource: '2.0', body, onBehalfOf: exchange } as const
  const { status, list } = await callRest(amService.agentHandler, call, amService.callTimeout)
  if (status === 400) return new SubjectRefused('the access manager refuses the subject (400)')
  if (status === 401 || status === 403 || status === 404) throw new AccessManagerError('misconfigured', refusal(status))
  if (status !== 200 || list === null)
    throw new AccessManagerError('unavailable', `policies: expected the status 200, got ${status}`)
  const decision = list.find((each) => isPlainObject(each) && (each as JsonObject)['resource'] === resource)
  if (decision === undefined)
    throw new AccessManagerError(
      'misconfigured',
      'the access manager decided about another resource than was asked for',
    )
  return decisionOf(decision as JsonObject, resource)
}

function refusal(status: number): string {
  if (status === 404) return 'the access manager does not know the policy set (404); look at application and pepRealm'
  return `the access manager does not let the agent ask for policy decisions (${status}); give it that privilege`
}

function decisionOf(answer: JsonObject, resource: string): Decision {
  const actions: Record<string, boolean> = Object.create(null)
  const given = answer['actions']
  // Only the boolean true is a permission.
  if (isPlainObject(given)) for (const name of Object.keys(given)) actions[name] = given[name] === true
  const attributes = valuesOf(answer['attributes'])
  const advices = valuesOf(answer['advices'])
  const ttl = numberValue(answer['ttl'])
  // The largest 64-bit integer means no expiry.
  const hasEnd = ttl !== null && ttl < Number.MAX_SAFE_INTEGER
  const context: PolicyDecision = {
    resource,
    actions: Object.freeze(actions),
    attributes,
    advices,
    jsonActions: actions,
    jsonAttributes: attributes,
    jsonAdvices: advices,
  }
  return { context: Object.freeze(context), ttl: hasEnd ? ttl : null }
}

function valuesOf(given: JsonValue | undefined): Readonly<Record<string, readonly string[]>> {
  const values: Record<string, readonly string[]> = Object.create(null)
  if (!isPlainObject(given)) return values
  for (const name of Object.keys(given)) {
    const value = given[name]
    const texts = (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string') as string[]
    values[name] = Object.freeze(texts)
  }
  return Object.freeze(values)
}
