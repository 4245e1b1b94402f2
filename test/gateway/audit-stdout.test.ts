// Audit events on a standard output that is not read, that has no reader, or that is full.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { GatewayProcess } from '#test/gateway-process'
import { type InstanceParts, TestInstance } from '#test/instance'
import { NamedPipe } from '#test/named-pipe'
import { freePort } from '#test/nginx'
import { Scrape } from '#test/scrape'
import { waitUntil } from '#test/waiting'
import { type Responses, sendNumbered } from '../interop/numbered-load.ts'

const options = { timeout: 120_000 }
/** Their events do not fit into a pipe. */
const MANY = 300

async function instanceWith(config: object): Promise<{ instance: TestInstance; ports: number[]; adminPort: number }> {
  const [port, adminPort] = [await freePort(), await freePort()]
  const handler = { class: 'JsonStdoutAuditEventHandler', config: { name: 'stdout', topics: ['access'], ...config } }
  const parts: InstanceParts = {
    connector: { port },
    admin: { adminConnector: { port: adminPort } },
    files: {
      'config/config.json': {
        heap: [{ name: 'AuditService', type: 'AuditService', config: { eventHandlers: [handler] } }],
        handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'hello' } },
      },
    },
  }
  return { instance: new TestInstance(parts), ports: [port], adminPort }
}

/** A gateway that writes to the path; its log is not needed to see that it serves. */
async function startedWith(output: string, config: object = {}): Promise<GatewayProcess> {
  const { instance, ports, adminPort } = await instanceWith(config)
  const gateway = new GatewayProcess({ instance, output })
  Object.assign(gateway, { ports, adminPort })
  await waitUntil('the gateway is ready', async () => {
    const answer = await gateway.askAdmin('/health/ready').catch(() => null)
    return answer?.status === 200
  })
  return gateway
}

async function request(gateway: GatewayProcess, from: number, to: number): Promise<void> {
  const responses: Responses = new Set()
  await sendNumbered(gateway.port, { from, to, responses })
  assert.equal(responses.size, to - from)
}

async function metric(gateway: GatewayProcess, name: string): Promise<number> {
  const { text } = await gateway.askAdmin('/metrics/prometheus')
  return new Scrape(text).find(name, { handler: 'stdout' }).reduce((sum, { value }) => sum + value, 0)
}

async function stateIs(gateway: GatewayProcess, state: string): Promise<void> {
  await waitUntil(`the handler is ${state}`, async () => {
    const { text } = await gateway.askAdmin('/health/ready?verbose')
    const { checks } = JSON.parse(text) as { checks: { name: string; state: string; detail: string }[] }
    const check = checks.find(({ name }) => name === 'audit.stdout')
    return `${check?.state}: ${check?.detail}` === state
  })
}

/** Numbers of the requests whose events are in the text, in their order. */
function numbersIn(text: string): number[] {
  const lines = text.split('\n').filter((line) => line.includes('"source":"audit"') && line.endsWith('}'))
  return lines.map((line) => Number(/\/n\/(\d+)"/.exec(JSON.stringify(JSON.parse(line)))?.[1]))
}

const allOf = (count: number): number[] => Array.from({ length: count }, (_, number) => number)

for (const signal of ['SIGKILL', 'SIGTERM'] as const)
  test(
    `${signal} with an unread output and a spool: the next process delivers the events that are not in the pipe`,
    options,
    async () => {
      using pipe = new NamedPipe()
      await using first = await startedWith(pipe.path, { spool: { enabled: true } })
      await request(first, 0, MANY)
      first.kill(signal)
      await first.ended
      const found = new Set(numbersIn(pipe.read()))
      assert.ok(found.size < MANY, 'the pipe was full')
      await using second = await GatewayProcess.start({ instance: first.instance })
      await waitUntil('the other events', () => {
        for (const number of numbersIn(second.log.lines.join('\n'))) found.add(number)
        return found.size === MANY
      })
    },
  )

test('events that are not read are not counted as delivered, and are written once when they are', options, async () => {
  using pipe = new NamedPipe()
  await using gateway = await startedWith(pipe.path)
  await request(gateway, 0, MANY)
  await stateIs(gateway, 'degraded: delivery failed: ETIMEDOUT')
  assert.equal((await metric(gateway, 'gw_audit_events_total')) + (await metric(gateway, 'gw_audit_queued')), MANY)
  assert.ok((await metric(gateway, 'gw_audit_queued')) > 0)
  await waitUntil('all events', () => numbersIn(pipe.read()).length >= MANY)
  await stateIs(gateway, 'up: events are delivered')
  assert.deepEqual(
    numbersIn(pipe.text).toSorted((a, b) => a - b),
    allOf(MANY),
  )
  assert.equal(await metric(gateway, 'gw_audit_events_total'), MANY)
  assert.equal(await metric(gateway, 'gw_audit_lost_total'), 0)
})

test('a pipe without reader: the gateway serves, and its events wait for the next reader', options, async () => {
  using pipe = new NamedPipe()
  await using gateway = await startedWith(pipe.path)
  pipe.read()
  pipe.closeReader()
  await request(gateway, 0, MANY)
  await stateIs(gateway, 'degraded: delivery failed: EPIPE')
  assert.equal(await metric(gateway, 'gw_audit_events_total'), 0)
  assert.ok((await metric(gateway, 'gw_audit_failures_total')) >= 2)
  pipe.openReader()
  await waitUntil('all events', () => numbersIn(pipe.read()).length >= MANY)
  assert.deepEqual(
    numbersIn(pipe.text).toSorted((a, b) => a - b),
    allOf(MANY),
  )
  await stateIs(gateway, 'up: events are delivered')
  assert.equal(await metric(gateway, 'gw_audit_lost_total'), 0)
})

test('a full disk: no event is counted as delivered, and the process stops within the documented time', {
  ...options,
  skip: !existsSync('/dev/full') && 'there is no /dev/full here',
}, async () => {
  await using gateway = await startedWith('/dev/full')
  await request(gateway, 0, 10)
  await stateIs(gateway, 'degraded: delivery failed: ENOSPC')
  assert.equal(await metric(gateway, 'gw_audit_events_total'), 0)
  await waitUntil('all events are queued', async () => (await metric(gateway, 'gw_audit_queued')) === 10)
  const from = performance.now()
  gateway.kill('SIGTERM')
  await gateway.ended
  assert.ok(performance.now() - from < 20_000)
})
