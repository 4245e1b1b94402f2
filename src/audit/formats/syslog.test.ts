import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { accessEvent } from '#test/audit-events'
import { type SyslogSettings, syslogMessage } from './syslog.ts'

const SETTINGS: SyslogSettings = {
  facility: 'LOCAL0',
  severityMappings: [],
  format: 'common',
  hostname: 'gateway.example.com',
  appName: 'identity-gateway',
  processId: '4711',
  maxBytes: 65_536,
}

/** RFC 5424, section 6, without MSG. */
const HEADER =
  /^<(\d{1,3})>1 (-|\S+) ([\x21-\x7e]{1,255}) ([\x21-\x7e]{1,48}) ([\x21-\x7e]{1,128}) ([\x21-\x7e]{1,32}) \[event@32473((?: [\x21\x23-\x3c\x3e-\x5c\x5e-\x7e]{1,32}="(?:[^"\\\]]|\\["\\\]])*")*)\] /

/** Characters that end lines, frames, quotes or elements, of one to four bytes. */
const AWKWARD = fc.constantFrom(...'a "\\]=[\r\n\t\0\x1b\x7f\x85\u2028\ufeffé€'.split(''), '😀', '\ud800')

test('a message has priority, time, host, application, process, event name, structured data and the event', () => {
  const event = accessEvent()
  const message = syslogMessage(SETTINGS, 'access', event)
  const [header, priority, time, host, application, process, name, data] = HEADER.exec(message) ?? []
  assert.deepEqual(
    [priority, time, host, application, process, name],
    ['134', '2026-11-16T01:02:03.456Z', 'gateway.example.com', 'identity-gateway', '4711', 'GATEWAY-HTTP-ACCESS'],
  )
  assert.equal(data, ` topic="access" id="${event['_id']}" transactionId="${event['transactionId']}" status="FAILED"`)
  assert.deepEqual(JSON.parse(message.slice(header?.length)), event)
})

test('a field chooses the severity by its value; other values are informational', () => {
  const severityMappings = [
    { topic: 'access', path: ['response', 'status'], severities: new Map([['FAILED', 'WARNING' as const]]) },
  ]
  const priority = (topic: string, status: string) =>
    /^<(\d+)>/.exec(
      syslogMessage({ ...SETTINGS, facility: 'AUTH', severityMappings }, topic, { response: { status } }),
    )?.[1]
  assert.equal(priority('access', 'FAILED'), String(4 * 8 + 4))
  assert.equal(priority('access', 'SUCCESSFUL'), String(4 * 8 + 6))
  assert.equal(priority('config', 'FAILED'), String(4 * 8 + 6))
})

test('B87: whatever is in an event, its message is one line with a whole header and structured data', () => {
  const text = fc.string({ unit: AWKWARD, maxLength: 200 })
  fc.assert(
    fc.property(text, text, text, text, (eventName, transactionId, path, host) => {
      const event = accessEvent({ eventName, transactionId, http: { request: { path } } })
      const message = syslogMessage({ ...SETTINGS, hostname: host }, 'access', event)
      assert.match(message, HEADER)
      assert.doesNotMatch(message, /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/)
      assert.equal(message.isWellFormed(), true)
    }),
  )
})

test('a message that is too long is truncated to whole characters, and says so', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1_024, max: 1_200 }),
      fc.string({ unit: AWKWARD, maxLength: 400 }),
      (maxBytes, text) => {
        const transactionId = text.slice(0, 100)
        const event = accessEvent({ transactionId, userId: text.repeat(3), trackingIds: ['é€😀'.repeat(300)] })
        const message = syslogMessage({ ...SETTINGS, maxBytes }, 'access', event)
        const bytes = Buffer.byteLength(message)
        assert.ok(bytes <= maxBytes && bytes > maxBytes - 4, `${bytes} of ${maxBytes}`)
        assert.match(message, HEADER)
        assert.match(message, / truncated="true"\] \{/)
        assert.equal(message.includes('\ufffd'), syslogMessage(SETTINGS, 'access', event).includes('\ufffd'))
      },
    ),
  )
})
