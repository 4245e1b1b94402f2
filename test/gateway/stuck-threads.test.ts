// A unit whose thread can not be ended, in a gateway as users run it: a native call that does not return.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { describe, test } from 'node:test'
import { pathRoute } from '#test/gateway'
import { GatewayProcess, type ProcessParts } from '#test/gateway-process'
import { PROBE_EXTENSION } from '#test/probe-extension'
import { sendRequest } from '#test/send-request'
import { waitUntil } from '#test/waiting'

/** The unit ends 15 seconds after its last heartbeat, and is given up after 5 more. */
const options = { timeout: 120_000, skip: process.platform === 'linux' ? false : 'ports are shared on Linux' }

/** A gateway with a unit that was given up, and the path of the pipe in which its thread hangs. */
async function withStuckUnit(units: number, parts: ProcessParts = {}) {
  const blocked = {
    condition: "${request.uri.path == '/blocked'}",
    handler: { type: 'Chain', config: { filters: [{ type: 'FifoFilter' }], handler: pathRoute('', 'x').handler } },
  }
  const gateway = await GatewayProcess.start({
    admin: {
      gatewayUnits: units,
      connectors: [
        { port: 0, host: '127.0.0.1' },
        { port: 0, host: '127.0.0.1' },
      ],
    },
    files: { 'extra/probe.js': PROBE_EXTENSION },
    routes: { fine: pathRoute('/fine', 'fine'), blocked },
    ...parts,
  })
  const fifo = `${gateway.instance.directory}/pipe`
  execFileSync('mkfifo', [fifo])
  void gateway.ask('/blocked', { headers: { 'X-File': fifo } }).catch(() => {})
  await gateway.log.until(/the thread of a unit can not be ended/, 0, 60)
  return { gateway, fifo }
}

async function getsNone(units: number): Promise<void> {
  const { gateway, fifo } = await withStuckUnit(units)
  await using _ = gateway
  await waitUntil('the gateway is ready', async () => (await readiness(gateway)).status === 200)
  for (const port of gateway.ports) {
    const answers = Array.from({ length: 100 }, () => sendRequest(`http://127.0.0.1:${port}/fine`))
    assert.deepEqual([...new Set((await Promise.all(answers)).map(({ text }) => text))], ['fine'])
  }
  // Its thread goes on, and closes what it has open.
  closeSync(openSync(fifo, 'r+'))
  await waitUntil('the thread has ended', async () => (await gateway.askAdmin('/health/live')).status === 200)
  for (let count = 0; count < 20; count++) assert.equal((await gateway.ask('/fine')).text, 'fine')
  assert.equal((await readiness(gateway)).status, 200)
}

const readiness = (gateway: GatewayProcess) => gateway.askAdmin('/health/ready?verbose')

describe('a unit that is given up', { concurrency: true }, () => {
  test('gets no new connection: each gets a response, of one unit and of two', options, async () => {
    await Promise.all([1, 2].map(getsNone))
  })

  test('the gateway is not ready where its sockets can not be shut down, until the thread ends', options, async () => {
    const { gateway, fifo } = await withStuckUnit(1, { env: { NODE_OPTIONS: '--no-experimental-ffi' } })
    await using _ = gateway
    await gateway.log.until(/a thread that can not be ended still accepts connections/)
    await waitUntil('its successor serves', async () => {
      const { status, text } = await readiness(gateway)
      assert.equal(status, 503)
      return /"name": "unit-0",\s+"ok": true/.test(text)
    })
    assert.match((await readiness(gateway)).text, /its thread can not be ended and still accepts connections/)
    closeSync(openSync(fifo, 'r+'))
    await waitUntil('the gateway is ready', async () => (await readiness(gateway)).status === 200)
  })
})
