import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type AuditDecision, TransactionId } from '#http'
import { jsonString, jsonText } from '../event.ts'
import { PointerTree } from '../policies/pointer-tree.ts'
import { ACCESS_SAFELIST } from '../topics/access-topic.ts'
import { ACCESS_NAMES, type AccessEventData, accessEvent, COMPATIBLE_NAMES } from './access-event.ts'
import { AccessFields } from './access-fields.ts'
import { accessText } from './access-text.ts'

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
const data: fc.Arbitrary<AccessEventData> = fc.record({
  id: fc.uuid().map((id) => `${id}-1`),
  startedAt: fc.integer({ min: 0, max: 4e12 }),
  transactionId: text.map((sent) => new TransactionId(sent).value),
  userId: orNull(text),
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
      path: text,
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
  exchangeId: orNull(fc.uuid()),
  routeId: orNull(text),
  routeName: orNull(text),
  decision: orNull(decision),
  extension: orNull(fc.dictionary(text, fc.jsonValue())),
})

test('the text of an access event is the JSON of the event', () => {
  const shapes = [
    { idName: '_id', members: {} },
    { idName: '_eventId', members: { source: 'audit', topic: 'access', level: 'INFO' } },
  ] as const
  for (const naming of [ACCESS_NAMES, COMPATIBLE_NAMES]) {
    for (const { idName, members } of shapes) {
      const toText = accessText(naming, safelist, { idName, members })
      fc.assert(
        fc.property(fc.array(data, { maxLength: 4 }), (events) => {
          for (const event of events) {
            const { _id: id, ...rest } = accessEvent(event, naming, safelist)
            assert.equal(toText(event), jsonText({ [idName]: id as string, ...rest, ...members }))
          }
        }),
      )
    }
  }
})

test('a text as JSON is the same with and without the short way', () => {
  fc.assert(fc.property(text, (value) => assert.equal(jsonString(value), jsonText(value))))
})
