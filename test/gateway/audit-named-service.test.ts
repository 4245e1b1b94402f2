// Custom events of a route for another service than the one that audits it.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { JsonObject } from '#json'
import { accessEvents, auditTrail, part } from '#test/audited-gateway'
import { RunningGateway } from '#test/gateway'
import { waitUntil } from '#test/waiting'

const service = (name: string, ...topics: string[]): JsonObject => ({
  name,
  type: 'AuditService',
  config: {
    eventHandlers: [
      {
        class: 'JsonAuditEventHandler',
        config: { name: 'file', topics, logDirectory: name === 'AuditService' ? 'trail' : 'payments' },
      },
    ],
  },
})

const SCHEMA = {
  schema: { type: 'object', properties: { timestamp: { type: 'string' }, account: { type: 'string' } } },
  filterPolicies: { field: { includeIf: ['/account'] } },
}

const route = (path: string, filter: JsonObject): JsonObject => ({
  condition: `\${request.uri.path == '${path}'}`,
  handler: {
    type: 'Chain',
    config: { filters: [filter], handler: { type: 'StaticResponseHandler', config: { status: 200 } } },
  },
})

test('an AuditFilter publishes to the service that it names, audit.send to the one of the route, which keeps its access events', async () => {
  const heap = [service('AuditService', 'access'), service('Payments', 'payment'), { name: '_router', type: 'Router' }]
  await using gateway = await RunningGateway.start({
    files: {
      'config/config.json': { handler: '_router', heap },
      'audit-schemas/payment.json': SCHEMA as JsonObject,
    },
    routes: {
      filter: route('/filter', {
        type: 'AuditFilter',
        config: { topic: 'payment', fields: { account: 'ada' }, auditService: 'Payments' },
      }),
      script: route('/script', {
        type: 'ScriptableFilter',
        config: {
          type: 'application/x-groovy',
          source: "audit.send('payment', [account: 'eve']); next.handle(context, request)",
        },
      }),
    },
  })
  for (const path of ['/script', '/filter']) assert.equal((await gateway.ask(path)).status, 200)
  const payments = () => auditTrail(join(gateway.instance.directory, 'payments', 'payment.audit.json'))
  await waitUntil('the event of the filter', () => payments().length > 0)
  assert.deepEqual(
    payments().map(({ account }) => account),
    ['ada'],
  )
  const access = await accessEvents(gateway.instance, 2)
  assert.deepEqual(access.map((event) => part(event, 'gateway')['routeId']).sort(), ['filter', 'script'])
  assert.match(JSON.stringify(gateway.log.lines), /GW_AUDIT_TOPIC_REFUSED/)
})
