import { randomBytes } from 'node:crypto'
import { type ConnectorSettings, type FinishedTrace, type SimulatedRequestMessage, TRACE_HEADER } from '#contracts'
import { type Action, Refusal } from '#crest'
import { isPlainObject, type JsonObject, type JsonValue } from '#json'
import { EXPLAIN_REQUEST } from '../../admin/routes/routes-description.ts'
import { simulatedRequest } from '../../admin/routes/simulated-request.ts'
import type { UnitLink } from '../../unit-link.ts'
import { sendToTraffic, trafficPorts } from './sent-request.ts'

/** Requests at a time. */
const MAX_SENT = 8

/** Milliseconds after the response in which the unit reports the trace. */
const REPORT_LIMIT = 2_000

interface TracesInput {
  readonly connectors: readonly ConnectorSettings[]
  ports(): readonly number[]
  units(): readonly UnitLink[]
}

/** Requests that the management API sends through a traffic connector, with their way through filters and handlers. */
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

  get action(): Action {
    return {
      description:
        'Sends a request through the traffic connector, and returns its response and its way through filters and handlers, with times and changes.',
      request: EXPLAIN_REQUEST,
      response: RESPONSE,
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

const CHANGES: JsonObject = {
  type: ['object', 'null'],
  description: 'Values before and after: method, uri, status, headers; body where it was replaced; added contexts.',
}

const RESPONSE: JsonObject = {
  type: 'object',
  properties: {
    response: {
      type: 'object',
      properties: {
        status: { type: 'integer' },
        reason: { type: 'string' },
        headers: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
        entity: { type: 'string' },
        encoding: { type: 'string', enum: ['base64'] },
        truncated: { type: 'boolean', description: 'Whether the body is longer than 256 KiB.' },
      },
    },
    route: { type: ['string', 'null'] },
    transactionId: { type: ['string', 'null'] },
    elapsed: { type: ['number', 'null'], description: 'Milliseconds.' },
    steps: {
      type: 'array',
      description: 'Filters and handlers in the order in which they were entered; times in milliseconds.',
      items: {
        type: 'object',
        properties: {
          object: { type: 'string', description: 'Qualified name, as in explanations.' },
          kind: { type: 'string', enum: ['filter', 'handler'] },
          depth: { type: 'integer' },
          start: { type: 'number' },
          elapsed: { type: ['number', 'null'] },
          own: { type: ['number', 'null'], description: 'Without the filters and handlers behind it.' },
          status: { type: ['integer', 'null'] },
          error: { type: ['string', 'null'] },
          responded: { type: 'boolean', description: 'Whether it responded without the next one.' },
          request: CHANGES,
          response: CHANGES,
        },
      },
    },
  },
}
