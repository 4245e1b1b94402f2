// Scripts of every language set the user and extend the access event.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { JsonObject } from '#json'
import { RunningGateway } from '#test/gateway'
import { waitUntil } from '#test/waiting'

const SCRIPTS: Readonly<Record<string, { readonly type: string; readonly source: string }>> = {
  groovy: {
    type: 'application/x-groovy',
    source: `
      contexts.requestAudit.setUserId("ada-\${1}")
      contexts.requestAudit.addTrackingId("t-\${1}")
      contexts.accessAuditExtension.extendWith('cart', [items: 2, price: 1.50]).extendWith('note', "n\${1}")
      next.handle(context, request)`,
  },
  classes: {
    type: 'application/x-groovy',
    source: `
      import org.forgerock.services.context.RequestAuditContext
      import org.forgerock.openig.audit.AccessAuditExtensionContext
      context.asContext(RequestAuditContext.class).setUserId('ada-1')
      context.asContext(RequestAuditContext.class).addTrackingId('t-' + (context.asContext(RequestAuditContext.class).trackingIds.size() + 1))
      AccessAuditExtensionContext extension = context.asContext(AccessAuditExtensionContext.class)
      extension.extendWith('cart', [items: 2, price: 1.50])
      return next.handle(context, request).thenOnResult { extension.extendWith('note', 'n' + extension.cart.items.intdiv(2)) }`,
  },
  javascript: {
    type: 'application/javascript',
    source: `
      contexts.requestAudit.setUserId('ada-1')
      contexts.requestAudit.addTrackingId('t-1')
      contexts.requestAudit.addTrackingId('t-1')
      contexts.accessAuditExtension.extendWith('cart', { items: 2, price: 1.5 }).extendWith('note', 'n1')
      return next.handle(context, request)`,
  },
  typescript: {
    type: 'application/typescript',
    source: `
      const response: Response = await next.handle(context, request)
      contexts.requestAudit.setUserId('ada-1')
      contexts.requestAudit.addTrackingId('t-1')
      contexts.accessAuditExtension.extendWith('cart', { items: 2, price: 1.5 })
      contexts.accessAuditExtension.extendWith('note', 'n1')
      return response`,
  },
}

test('scripts set the user and extend the access event', async () => {
  const service = {
    name: 'AuditService',
    type: 'AuditService',
    config: {
      eventHandlers: [
        {
          class: 'org.vendor.audit.handlers.json.JsonAuditEventHandler',
          config: { name: 'file', topics: ['access'], logDirectory: 'trail' },
        },
      ],
    },
  }
  const routes = Object.fromEntries(
    Object.entries(SCRIPTS).map(([name, { type, source }]) => [
      name,
      {
        name,
        condition: `\${request.uri.path == '/${name}'}`,
        handler: {
          type: 'Chain',
          config: {
            filters: [{ type: 'ScriptableFilter', config: { type, source: source.split('\n') } }],
            handler: { type: 'StaticResponseHandler', config: { status: 200 } },
          },
        },
      } as JsonObject,
    ]),
  )
  await using gateway = await RunningGateway.start({
    routes,
    files: { 'config/config.json': { handler: '_router', heap: [service, { name: '_router', type: 'Router' }] } },
  })
  for (const name of Object.keys(SCRIPTS)) assert.equal((await gateway.ask(`/${name}`)).status, 200, name)
  const file = join(gateway.instance.directory, 'trail', 'access.audit.json')
  const events = (): JsonObject[] =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line))
      : []
  await waitUntil('an event of each request', () => events().length === Object.keys(SCRIPTS).length)
  for (const event of events()) {
    const { routeName, ext } = event['gateway'] as JsonObject
    assert.deepEqual(
      [event['userId'], event['trackingIds'], ext],
      ['ada-1', ['t-1'], { cart: { items: 2, price: 1.5 }, note: 'n1' }],
      String(routeName),
    )
  }
})
