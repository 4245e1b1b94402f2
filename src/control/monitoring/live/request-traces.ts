import { randomBytes } from 'node:crypto'
import { type ConnectorSettings, type FinishedTrace, type SimulatedRequestMessage, TRACE_HEADER } from '#contracts'
import { type Action, type Collection, Refusal, type Resource } from '#crest'
import { isPlainObject, type JsonObject, type JsonValue, parseJson } from '#json'
import { ROUTE_ACTIONS } from '../../routes/routes-descriptions.ts'
import { simulatedRequest } from '../../routes/simulated-request.ts'
import type { UnitLink } from '../../units/unit-link.ts'
import { MONITOR_DESCRIPTIONS } from '../monitor-descriptions.ts'
import { sendToTraffic, trafficPorts } from './sent-request.ts'

/** Requests at a time. */
const MAX_SENT = 8

/** Milliseconds after the response in which the unit reports the trace. */
const REPORT_LIMIT = 2_000

const GONE =
  'there is no trace with this id; traces of live requests are discarded after 500 more, and when the last stream of live requests is closed'

/** Ids of traces. */
const TRACE_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

interface TracesInput {
  readonly connectors: readonly ConnectorSettings[]
  ports(): readonly number[]
  units(): readonly UnitLink[]
}

/** Requests with their way through filters and handlers: those that the management API sends, and some of the live requests. */
export class RequestTraces {
  readonly #input: TracesInput
  readonly #waiting = new Map<string, (trace: FinishedTrace) => void>()

  constructor(input: TracesInput) {
    this.#input = input
  }

  /** A unit has finished a trace. */
  finished(trace: FinishedTrace): void {
    this.#waiting.get(trace.token)?.(trace)
  }

  get endpoint(): Collection {
    return {
      kind: 'collection',
      description: { ...MONITOR_DESCRIPTIONS.endpoints.trace, idPattern: TRACE_ID.source },
      read: (_, id) => this.#read(id),
      actions: { send: this.#sending },
    }
  }

  /** The trace of a live request, from the unit that served it. */
  async #read(id: string): Promise<Resource | Refusal> {
    if (!TRACE_ID.test(id)) return new Refusal(404, GONE)
    const ready = this.#input.units().filter(({ state }) => state === 'ready')
    const results = await Promise.allSettled(ready.map((unit) => unit.remote.readTrace({ id })))
    const found = results.find((result) => result.status === 'fulfilled' && result.value !== null)
    if (found?.status === 'fulfilled') {
      return { id, revision: null, content: parseJson(found.value as string) as JsonObject }
    }
    const failed = results.find((result) => result.status === 'rejected')
    if (failed !== undefined) return new Refusal(503, `${(failed.reason as Error).message}; try again`)
    return new Refusal(404, GONE)
  }

  get #sending(): Action {
    return {
      ...MONITOR_DESCRIPTIONS.actions.send,
      request: ROUTE_ACTIONS.explain.request as JsonObject,
      run: async (_, { body }) => {
        if (isPlainObject(body) && body['from'] !== undefined) {
          return new Refusal(400, 'from: the client of a request that is sent is this gateway')
        }
        const request = simulatedRequest(body)
        return request instanceof Refusal ? request : this.#send(request, hasScheme(body))
      },
    }
  }

  async #send(request: SimulatedRequestMessage, hasScheme: boolean): Promise<JsonObject | Refusal> {
    const { connectors, ports, units } = this.#input
    const open = trafficPorts(connectors, ports())
    const port = open.find(({ isSecure }) => !hasScheme || isSecure === (request.scheme === 'https'))
    if (port === undefined) return new Refusal(400, `uri: no traffic connector serves ${request.scheme}`)
    if (this.#waiting.size >= MAX_SENT) return new Refusal(503, 'other requests are being sent; try again')
    const token = randomBytes(32).toString('hex')
    const { promise, resolve } = Promise.withResolvers<FinishedTrace>()
    this.#waiting.set(token, resolve)
    const ready = units().filter(({ state }) => state === 'ready')
    try {
      // Any unit may accept the connection.
      await Promise.all(ready.map((unit) => unit.remote.armTrace({ token })))
      const response = await sendToTraffic(request, port, { name: TRACE_HEADER, token })
      const trace = await Promise.race([promise, timedOut()])
      const { route = null, transactionId = null, elapsed = null, steps = [] } = trace ?? {}
      return { response, route, transactionId, elapsed, steps: steps as unknown as JsonValue }
    } catch (error) {
      return new Refusal(502, `the request failed: ${(error as Error).message}`)
    } finally {
      this.#waiting.delete(token)
      for (const unit of ready) if (unit.state === 'ready') unit.remote.disarmTrace({ token })
    }
  }
}

/** Of a path, the scheme is that of the first connector. */
function hasScheme(body: JsonValue): boolean {
  return isPlainObject(body) && typeof body['uri'] === 'string' && /^https?:/i.test(body['uri'])
}

function timedOut(): Promise<null> {
  return new Promise((resolve) => setTimeout(() => resolve(null), REPORT_LIMIT).unref())
}
