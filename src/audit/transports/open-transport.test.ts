import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger, memoryLog } from '#logging'
import { systemClock } from '#schema'
import { openTransport } from './open-transport.ts'

const env = { logger: createLogger({ destination: memoryLog() }), clock: systemClock }

test('a plan is opened by its type, without a connection', async () => {
  const plans = [
    { type: 'syslog', protocol: 'UDP' },
    { type: 'syslog', protocol: 'TCP' },
    {
      type: 'otlp',
      endpoint: 'http://127.0.0.1:1',
      resourceAttributes: {},
      tls: null,
      connectTimeout: 1,
      requestTimeout: 1,
    },
    { type: 'kafka' },
  ]
  for (const plan of plans) await (await openTransport(plan, env)).close()
  await assert.rejects(openTransport({ type: 'pigeon' }, env), /unknown transport "pigeon"/)
})
