import assert from 'node:assert/strict'
import { test } from 'node:test'
import { respond, transientSession } from '#http'
import { createLogger, logEvents } from '#logging'
import { auditedExchange } from '#test/exchange'
import { LogLines } from '#test/log-lines'
import { withSession } from './session-boundary.ts'
import { type SessionManager, SessionUnavailableError } from './session-manager.ts'

const { NOT_SAVED } = logEvents('GW_TEST', { NOT_SAVED: { message: 'not saved', meaning: '', action: '' } })
const logger = createLogger({ level: 'info', format: 'json', destination: new LogLines() }).child({ logger: 'shop' })
const unavailable = () => Promise.reject(new SessionUnavailableError('the store does not answer'))

for (const [when, open] of [
  ['read', unavailable],
  ['saved', () => ({ session: transientSession(), save: unavailable })],
] as const) {
  test(`a session that can not be ${when} is 503, which the decision explains`, async () => {
    const manager: SessionManager = { open }
    const exchange = auditedExchange('GET', 'http://app.example/')
    const response = await withSession(manager, async () => respond(200), logger, NOT_SAVED)(exchange)
    assert.equal(response.status, 503)
    assert.deepEqual(exchange.audit?.decision, {
      result: 'FAILED',
      by: 'shop',
      reason: 'the session store is unavailable',
    })
  })
}
