// A random load of all kinds of requests: each leaves one event that satisfies the published schema, and no secret is in a trail.
// npm run fuzz -- audit-random-load: other loads.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import type { JsonObject } from '#json'
import { LOAD, type Outcome } from '#test/audit-load'
import { ADMIN_PASSWORD, BASIC, loadRoutes, PAYMENT, SECRET } from '#test/audit-load-routes'
import { assertValid, auditTrail, part } from '#test/audited-gateway'
import { Authority, type Issued, opensslMissing } from '#test/certificates'
import { GatewayProcess } from '#test/gateway-process'
import { H2Client } from '#test/h2-client'
import { secureHeap } from '#test/secure-connector'
import { waitUntil } from '#test/waiting'

const authority = opensslMissing === false ? new Authority() : null
const issued = authority?.issue({ name: 'app.test', altNames: 'IP:127.0.0.1,DNS:localhost' }) as Issued
after(() => authority?.[Symbol.dispose]())

const REQUESTS = 300

/** A service with all handlers of this machine; its files are in a folder of the instance. */
const service = (folder: string, ...topics: readonly string[]): JsonObject => ({
  type: 'AuditService',
  config: {
    eventHandlers: [
      handler('Json', topics, { logDirectory: `trails/${folder}/json` }),
      handler('Csv', topics, { logDirectory: `trails/${folder}/csv` }),
      handler('JsonStdout', topics),
    ],
  },
})

const handler = (name: string, topics: readonly string[], more: JsonObject = {}): JsonObject => ({
  class: `${name}AuditEventHandler`,
  config: { name, topics: [...topics], ...more },
})

test('each request of a random load leaves one valid event without secrets', { skip: opensslMissing }, async () => {
  await using applications = await loadRoutes()
  const traffic = { name: 'AuditService', ...service('traffic', 'access', 'payment') }
  await using gateway = await GatewayProcess.start({
    units: 2,
    admin: {
      connectors: [
        { port: 0, host: '127.0.0.1' },
        { port: 0, host: '127.0.0.1', tls: 'https' },
      ],
      heap: secureHeap(issued),
      auditService: service('admin', 'access'),
    },
    files: {
      'config/config.json': { handler: '_router', heap: [traffic, { name: '_router', type: 'Router' }] },
      'audit-schemas/payment.json': PAYMENT,
      'secrets/gateway.admin.password': ADMIN_PASSWORD,
    },
    routes: applications.routes,
  })
  await using secure = new H2Client(gateway.ports[1] as number)
  const cookies = new Set<string>()
  const load = fc.sample(LOAD, { numRuns: REQUESTS })
  const outcomes: Record<'traffic' | 'admin', Outcome[]> = { traffic: [], admin: [] }
  for (let at = 0; at < load.length; at += 10) {
    await Promise.all(
      load.slice(at, at + 10).map(async ({ to, send }) => {
        outcomes[to].push(await send({ port: gateway.port, adminPort: gateway.adminPort, secure, cookies }))
      }),
    )
  }

  const trails = join(gateway.instance.directory, 'trails')
  const eventsOf = async (name: string, topic: string, count: number): Promise<JsonObject[]> => {
    const path = join(trails, name, 'json', `${topic}.audit.json`)
    await waitUntil(`${count} ${topic} events of ${name}`, () => auditTrail(path).length >= count)
    return auditTrail(path)
  }
  const payments = load.filter(({ isPayment }) => isPayment).length
  const access = {
    traffic: await eventsOf('traffic', 'access', outcomes.traffic.length),
    admin: await eventsOf('admin', 'access', outcomes.admin.length),
  }
  const custom = await eventsOf('traffic', 'payment', payments)
  const all = [...access.traffic, ...access.admin, ...custom]
  const isWritten = (text: string): boolean => all.every(({ _id: id }) => text.includes(String(id)))
  const lines = () => gateway.log.lines.filter((line) => line.includes('"source":"audit"')).join('\n')
  await waitUntil('all events in standard output', () => isWritten(lines()))
  await waitUntil('all events in files of rows', () => isWritten(contentOf(trails, '.csv')))

  for (const name of ['traffic', 'admin'] as const) {
    for (const event of access[name]) assertValid(event)
    assert.deepEqual(counted(access[name].map(outcomeOf)), counted(outcomes[name]), name)
  }
  assert.equal(new Set(all.map(({ _id: id }) => id)).size, REQUESTS + payments)
  assert.equal(custom.length, payments)
  for (const event of custom) assert.deepEqual([event['account'], event['status']], ['ada', 200])
  const undecided = [...access.traffic, ...access.admin].filter((event) => {
    const { statusCode } = part(event, 'response')
    return ['401', '403', '429', '503'].includes(String(statusCode)) && !('decision' in part(event, 'gateway'))
  })
  assert.deepEqual(undecided, [])
  assert.ok(cookies.size > 0, 'no session cookie was set')
  const users = new Set(access.traffic.flatMap(({ userId }) => userId ?? []))
  assert.deepEqual([...users].sort(), ['ada', 'grace'])
  const sessions = [...cookies].map((cookie) => cookie.slice(cookie.indexOf('=') + 1))
  // The password and the tokens contain it.
  const secrets = [SECRET, BASIC, ...sessions]
  const written = `${lines()}\n${contentOf(trails)}`.split('\n')
  assert.deepEqual(
    written.filter((line) => secrets.some((secret) => line.includes(secret))),
    [],
  )
})

/** The files below a folder, as one text. */
function contentOf(folder: string, end = ''): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(end))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n')
}

function outcomeOf(event: JsonObject): Outcome {
  const { statusCode = '', detail } = part(event, 'response')
  return detail === undefined ? String(statusCode) : `${statusCode} ${(detail as JsonObject)['reason']}`
}

/** How often each value occurs. */
function counted(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const value of values.toSorted()) counts[value] = (counts[value] ?? 0) + 1
  return counts
}
