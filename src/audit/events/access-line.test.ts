import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { JsonShape } from '#contracts'
import { BatchBuilder, recordsOf } from '#durable-queue'
import { type AuditDecision, CREST_OPERATIONS, SerialId, TransactionId } from '#http'
import { jsonString, jsonText } from '#logging'
import { PointerTree } from '../policies/pointer-tree.ts'
import { ACCESS_SAFELIST } from '../topics/access-topic.ts'
import { ACCESS_NAMES, type AccessEventData, type AccessNames, accessEvent, COMPATIBLE_NAMES } from './access-event.ts'
import { AccessFields } from './access-fields.ts'
import { accessLine, idPosition } from './access-line.ts'

const safelist = new AccessFields(PointerTree.of(ACCESS_SAFELIST, ['/http/request/headers']))

/** Texts of all kinds: most without characters that JSON escapes. */
const text = fc.oneof(fc.string({ unit: 'grapheme-ascii' }), fc.string({ unit: 'binary' }))
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const port = fc.integer({ min: 0, max: 65_535 })
const names = ['Host', 'host', 'HOST', 'User-Agent', 'X-Forwarded-For', 'x-forwarded-for', 'Cookie', 'Authorization']
const traceparent = fc.constantFrom(
  '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
  'none',
)
const header = fc.oneof(
  fc.tuple(fc.constantFrom(...names), text),
  fc.tuple(fc.constantFrom('traceparent', 'Traceparent'), traceparent),
  fc.tuple(fc.string({ minLength: 1 }), text),
)
const decision: fc.Arbitrary<AuditDecision> = fc.record(
  {
    result: fc.constantFrom('GRANTED', 'DENIED', 'FAILED'),
    by: text,
    reason: text,
    policy: text,
    rule: text,
    fromCache: fc.boolean(),
  },
  { requiredKeys: ['result', 'by', 'reason'] },
)
const serialIds = (max: number) =>
  fc.tuple(fc.uuid(), fc.integer({ min: 0, max })).map(([series, number]) => new SerialId(series, number))
const serialId = serialIds(Number.MAX_SAFE_INTEGER)
const data: fc.Arbitrary<AccessEventData> = fc.record({
  id: serialId,
  startedAt: fc.integer({ min: 0, max: 4e12 }),
  transactionId: text.map((sent) => new TransactionId(sent).value),
  userId: orNull(text),
  trackingIds: orNull(fc.array(text)),
  client: fc.record({
    remoteAddress: text,
    remotePort: port,
    localAddress: text,
    localPort: port,
    secure: fc.boolean(),
  }),
  request: orNull(
    fc.record({
      method: text,
      origin: fc.oneof(fc.webUrl({ validSchemes: ['http', 'https'] }), text),
      rawPath: text,
      rawQuery: orNull(text),
      headers: fc.array(header).map((headers) => headers.flat()),
    }),
  ),
  responseHeaders: fc.constant(null),
  response: orNull(
    fc.record({
      isSuccessful: fc.boolean(),
      statusCode: orNull(fc.integer({ min: 100, max: 599 })),
      elapsedTime: fc.nat(),
      reason: orNull(text),
    }),
  ),
  exchangeId: orNull(serialId),
  routeId: orNull(text),
  routeName: orNull(text),
  decision: orNull(decision),
  operation: orNull(fc.record({ operation: fc.constantFrom(...CREST_OPERATIONS) })),
  extension: orNull(fc.dictionary(text, fc.jsonValue())),
})

/** Of requests without characters that JSON escapes. */
const plainText = fc.stringMatching(/^[A-Za-z0-9/._-]{1,20}$/)
const plainData: fc.Arbitrary<AccessEventData> = fc
  .tuple(data, plainText, plainText, serialIds(2 ** 50), fc.constantFrom(null, 'the client closed the connection'))
  .map(([event, path, user, id, reason]) => ({
    ...event,
    id,
    userId: event.userId === null ? null : user,
    client: { ...event.client, remoteAddress: '192.0.2.1', localAddress: '192.0.2.2' },
    request: { method: 'GET', origin: `http://${path}`, rawPath: `/${path}`, rawQuery: null, headers: ['Host', path] },
    response: { isSuccessful: reason === null, statusCode: 200, elapsedTime: event.startedAt % 1000, reason },
    exchangeId: id,
    routeId: path,
    routeName: null,
    decision: event.decision && { ...event.decision, by: path, reason: path, policy: path, rule: path },
    operation: null,
    extension: null,
    trackingIds: null,
  }))

const shapes = [
  { idName: '_id', members: {} },
  { idName: '_eventId', members: { source: 'audit', topic: 'access', level: 'INFO' } },
] as const

/** Events as the writer gets them, and how many of them were written without a text. */
function written(events: readonly AccessEventData[], naming: AccessNames, shape: JsonShape) {
  const line = accessLine(naming, safelist, shape)
  const builder = new BatchBuilder()
  let lines = 0
  for (const event of events) {
    const { _id: id, ...rest } = accessEvent(event, naming, safelist)
    builder.add({
      topic: 'access',
      id: event.id.text,
      idAt: idPosition(shape),
      time: 0,
      texts: [jsonText({ [shape.idName]: id as string, ...rest, ...shape.members })],
      write: (_, target) => {
        const isWritten = line(event, target)
        if (isWritten) lines++
        return isWritten
      },
    })
  }
  return { records: recordsOf(builder.build(), 1, { format: 0, topics: ['access'] }), lines }
}

test('the line of an access event is the JSON of the event', () => {
  for (const naming of [ACCESS_NAMES, COMPATIBLE_NAMES]) {
    for (const shape of shapes) {
      let lines = 0
      fc.assert(
        fc.property(fc.array(fc.oneof(plainData, data), { maxLength: 4 }), (events) => {
          const { records, lines: count } = written(events, naming, shape)
          lines += count
          assert.deepEqual(
            records.map(({ id, text }) => ({ id, text })),
            events.map((event) => {
              const { _id: id, ...rest } = accessEvent(event, naming, safelist)
              return { id: event.id.text, text: jsonText({ [shape.idName]: id as string, ...rest, ...shape.members }) }
            }),
          )
        }),
      )
      assert.ok(lines > 50, `${lines} lines without a text`)
    }
  }
})

test('pieces that repeat are the same each time', () => {
  fc.assert(
    fc.property(fc.oneof(plainData, data), (event) => {
      const { records } = written([event, event, event, event], ACCESS_NAMES, shapes[0])
      assert.deepEqual(new Set(records.map(({ text }) => text)).size, 1)
    }),
  )
  const [event] = fc.sample(plainData, { numRuns: 1, seed: 1 })
  const { records, lines } = written(Array(3).fill({ ...event, routeId: 'Straße' }), ACCESS_NAMES, shapes[0])
  assert.equal(lines, 0)
  for (const { text } of records) assert.equal(JSON.parse(text).gateway.routeId, 'Straße')
})

/** Numbers of as many digits as the one before, and of one more or less. */
const number = fc.oneof(
  fc.integer({ min: 6, max: 12 }),
  fc.integer({ min: 95, max: 104 }),
  fc.integer({ min: 999_999_990, max: 1_000_000_010 }),
  fc.integer({ min: 2 ** 31 - 4, max: 2 ** 31 + 4 }),
)
const changes = fc.record({
  id: number,
  exchangeId: number,
  remotePort: fc.integer({ min: 9_990, max: 10_010 }),
  elapsedTime: fc.integer({ min: 0, max: 1_100 }),
  later: fc.oneof(fc.nat(1_500), fc.double({ min: 0, max: 1_500, noNaN: true })),
})

test('numbers and times that change from event to event are those of each event', () => {
  const list = fc.array(changes, { minLength: 2, maxLength: 20 })
  fc.assert(
    fc.property(plainData, fc.constantFrom(...shapes), list, (first, shape, numbers) => {
      const events = numbers.map(({ id, exchangeId, remotePort, elapsedTime, later }): AccessEventData => {
        const response = first.response && { ...first.response, elapsedTime }
        return {
          ...first,
          id: new SerialId(first.id.series, id),
          exchangeId: new SerialId(first.id.series, exchangeId),
          client: { ...first.client, remotePort },
          response,
          startedAt: first.startedAt + later,
        }
      })
      const { records, lines } = written(events, ACCESS_NAMES, shape)
      assert.equal(lines, events.length)
      for (const [at, event] of events.entries()) {
        const { _id: id, ...rest } = accessEvent(event, ACCESS_NAMES, safelist)
        const text = jsonText({ [shape.idName]: id as string, ...rest, ...shape.members })
        assert.deepEqual({ id: records[at]?.id, text: records[at]?.text }, { id: event.id.text, text })
      }
    }),
    { numRuns: 300 },
  )
})

test('an event of a usual request needs no text', () => {
  fc.assert(
    fc.property(fc.array(plainData, { minLength: 1, maxLength: 4 }), (events) => {
      assert.equal(written(events, ACCESS_NAMES, shapes[0]).lines, events.length)
    }),
  )
})

test('a text as JSON is the same with and without the short way', () => {
  fc.assert(fc.property(text, (value) => assert.equal(jsonString(value), jsonText(value))))
})
