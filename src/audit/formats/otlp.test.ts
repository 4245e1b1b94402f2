import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JsonNumber } from '#json'
import { accessEvent } from '#test/audit-events'
import { otlpLogRecord } from './otlp.ts'

test('an event becomes a LogRecord with time, severity, trace, attributes and the event as body', () => {
  const record = JSON.parse(otlpLogRecord('common', 'access', accessEvent()))
  assert.equal(record.timeUnixNano, `${Date.parse('2026-11-16T01:02:03.456Z')}000000`)
  assert.equal(record.severityNumber, 13)
  assert.equal(record.traceId, '4bf92f3577b34da6a3ce929d0e0e4736')
  assert.equal(record.eventName, 'GATEWAY-HTTP-ACCESS')
  const attributes = new Map(record.attributes.map(({ key, value }: { key: string; value: object }) => [key, value]))
  assert.deepEqual(attributes.get('http.response.status_code'), { intValue: '403' })
  assert.deepEqual(attributes.get('log.record.uid'), { stringValue: accessEvent()['_id'] })
  const body = new Map(
    record.body.kvlistValue.values.map(({ key, value }: { key: string; value: object }) => [key, value]),
  )
  assert.deepEqual(body.get('userId'), { stringValue: 'bjensen' })
})

test('values of all types have an OTLP form', () => {
  const event = { _id: '1', list: [1, 1.5, true, null, 'x'], big: new JsonNumber('9007199254740993') }
  const { body } = JSON.parse(otlpLogRecord('common', 'payments', event))
  assert.deepEqual(body.kvlistValue.values, [
    { key: '_id', value: { stringValue: '1' } },
    {
      key: 'list',
      value: {
        arrayValue: {
          values: [{ intValue: '1' }, { doubleValue: 1.5 }, { boolValue: true }, {}, { stringValue: 'x' }],
        },
      },
    },
    { key: 'big', value: { stringValue: '9007199254740993' } },
  ])
})

test('a trace id of another form is left out', () => {
  for (const traceId of ['0'.repeat(32), 'xyz', '4BF92F3577B34DA6A3CE929D0E0E4736']) {
    assert.equal('traceId' in JSON.parse(otlpLogRecord('common', 'access', accessEvent({ traceId }))), false)
  }
})
