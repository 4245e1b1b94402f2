import { BatchBuilder, recordsOf } from '#durable-queue'
import { SerialId } from '#http'
import { ACCESS_NAMES, type AccessEventData } from '../src/audit/events/access-event.ts'
import { AccessFields } from '../src/audit/events/access-fields.ts'
import { accessLine } from '../src/audit/events/access-line.ts'
import { PointerTree } from '../src/audit/policies/pointer-tree.ts'
import { ACCESS_SAFELIST } from '../src/audit/topics/access-topic.ts'

const EVENTS = 50_000
const ROUNDS = 11

/** CPU microseconds of one access event alone, from its data to the records of the writer: the least of several rounds. */
export function eventCost(): number {
  const toLine = accessLine(ACCESS_NAMES, new AccessFields(PointerTree.of(ACCESS_SAFELIST)), {
    idName: '_id',
    members: {},
  })
  const builder = new BatchBuilder()
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const start = process.cpuUsage()
    for (let n = 0; n < EVENTS; n++) {
      const data = dataOf(n)
      builder.add(new Event(data, toLine))
      if (builder.isFull) recordsOf(builder.build(), 1, { format: 0, topics: ['access'] })
    }
    const { user, system } = process.cpuUsage(start)
    least = Math.min(least, (user + system) / EVENTS)
  }
  return least
}

type WriteLine = ReturnType<typeof accessLine>

class Event {
  readonly topic = 'access'
  readonly time = 0
  readonly id = ''
  readonly texts = []
  readonly #data: AccessEventData
  readonly #toLine: WriteLine

  constructor(data: AccessEventData, toLine: WriteLine) {
    this.#data = data
    this.#toLine = toLine
  }

  write(_: number, target: Parameters<WriteLine>[1]): boolean {
    return this.#toLine(this.#data, target)
  }
}

function dataOf(n: number): AccessEventData {
  return {
    id: new SerialId('518c550e-e6ed-4c89-a54e-659cb3c61e19', n),
    startedAt: 1_790_000_000_000 + Math.floor(n / 8),
    transactionId: `c0054bb7-469d-49f3-9ac8-${n}`,
    userId: null,
    trackingIds: null,
    client: {
      remoteAddress: `192.0.2.${n % 32}`,
      remotePort: 40_000 + (n % 1000),
      localAddress: '192.0.2.1',
      localPort: 8080,
      secure: false,
    },
    request: {
      method: 'GET',
      origin: 'http://gateway.example:8080',
      rawPath: `/items/${n % 100}`,
      rawQuery: null,
      headers: [
        'Host',
        'gateway.example:8080',
        'User-Agent',
        `client/${n % 8}`,
        'X-Forwarded-For',
        `192.0.2.${n % 32}`,
      ],
    },
    responseHeaders: null,
    response: { isSuccessful: true, statusCode: 200, elapsedTime: n % 50, reason: null },
    exchangeId: new SerialId('21dcc97f-0614-4b0c-9808-54ff1e5f39c5', n),
    routeId: 'items',
    routeName: 'items',
    decision: null,
    operation: null,
    extension: null,
  }
}
