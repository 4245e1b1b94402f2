import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TICKET_PERIOD, TicketSecrets } from '#contracts'
import { openTicketRotation } from './ticket-rotation.ts'

test('the secret of session tickets is replaced each period, until the gateway stops', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const rotation = openTicketRotation()
  const secrets = new TicketSecrets(rotation.memory)
  t.mock.timers.tick(TICKET_PERIOD - 1)
  assert.equal(secrets.generation, 1)
  t.mock.timers.tick(1)
  assert.equal(secrets.generation, 2)
  t.mock.timers.tick(2 * TICKET_PERIOD)
  assert.equal(secrets.generation, 4)
  rotation[Symbol.dispose]()
  t.mock.timers.tick(2 * TICKET_PERIOD)
  assert.equal(secrets.generation, 4)
})
