// contexts.accessAuditExtension.extensions: the live map of the custom entries of an access event.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '#json'
import { accessEvents, accessTrail, auditedRoot, part, TO_FILE } from '#test/audited-gateway'
import { RunningGateway } from '#test/gateway'

const script = (type: string, ...source: string[]): JsonObject => ({
  type: 'ScriptableFilter',
  config: { type: `application/${type}`, source },
})

const assigned = (target: string, value: unknown): JsonObject =>
  ({ type: 'AssignmentFilter', config: { onRequest: [{ target, value }] } }) as JsonObject

/** The content of a response shows what an expression reads. */
const SHOWN: JsonObject = {
  type: 'StaticResponseHandler',
  config: {
    status: 200,
    headers: { 'Content-Type': ['text/plain'] },
    entity:
      "${contexts.accessAuditExtension.extensions.size()} ${contexts.accessAuditExtension.extensions['c2']} ${contexts.accessAuditExtension.c2}",
  },
}

/** Filters by the name of their route: each adds the entry c2, and one more. */
const FILTERS: Readonly<Record<string, readonly JsonObject[]>> = {
  expressions: [
    assigned("${contexts.accessAuditExtension.extensions['c2']}", 'two'),
    assigned('${contexts.accessAuditExtension.extensions.__proto__}', { a: 1 }),
  ],
  members: [
    assigned('${contexts.accessAuditExtension.extensions.c2}', 'two'),
    assigned('${contexts.accessAuditExtension.extensions.gone}', 'soon'),
    assigned('${contexts.accessAuditExtension.extensions.gone}', '${null}'),
    assigned("${contexts.accessAuditExtension['__proto__']}", { a: 1 }),
  ],
  replaced: [
    assigned('${contexts.accessAuditExtension.other}', 'gone'),
    script(
      'javascript',
      'contexts.accessAuditExtension.extensions = JSON.parse(\'{"c2":"two","__proto__":{"a":1}}\')',
      'return next.handle(context, request)',
    ),
  ],
  groovy: [
    script(
      'x-groovy',
      'def map = contexts.accessAuditExtension.extensions',
      'assert map.isEmpty()',
      "map.put('c2', 'one')",
      "assert contexts.accessAuditExtension.c2 == 'one'",
      "contexts.accessAuditExtension.extendWith('c2', 'two')",
      "assert map.c2 == 'two' && map.containsKey('c2') && map.size() == 1",
      "map['__proto__'] = [a: 0]",
      "map['__proto__'].a = 1",
      "map.gone = 'soon'",
      "map.remove('gone')",
      'next.handle(context, request)',
    ),
  ],
  getter: [
    script(
      'x-groovy',
      'import org.forgerock.openig.audit.AccessAuditExtensionContext',
      'AccessAuditExtensionContext extension = context.asContext(AccessAuditExtensionContext.class)',
      'Map<String, Object> map = extension.getExtensions()',
      'map << [c2: "${\'t\'}wo"]',
      "extension.extendWith('__proto__', [a: 0])",
      "map.get('__proto__').a = 1",
      "assert extension['__proto__'].a == 1",
      'next.handle(context, request)',
    ),
  ],
  javascript: [
    script(
      'javascript',
      'const { extensions } = contexts.accessAuditExtension',
      "if (Object.keys(extensions).length > 0) throw new Error('entries before the first')",
      "extensions.c2 = 'one'",
      "contexts.accessAuditExtension.extendWith('c2', 'two')",
      "extensions['__proto__'] = { a: 1 }",
      "extensions.gone = 'soon'",
      'delete extensions.gone',
      "if (extensions.c2 !== 'two' || 'gone' in extensions) throw new Error(JSON.stringify(extensions))",
      'return next.handle(context, request)',
    ),
  ],
  typescript: [
    script(
      'typescript',
      "contexts.accessAuditExtension.extensions.c2 = 'two'",
      "contexts.accessAuditExtension.extensions['__proto__'] = { a: 1 } as object",
      'return next.handle(context, request)',
    ),
  ],
}

const routes = Object.fromEntries(
  Object.entries(FILTERS).map(([name, filters]) => [
    name,
    {
      name,
      condition: `\${request.uri.path == '/${name}'}`,
      handler: { type: 'Chain', config: { filters, handler: SHOWN } },
    } as unknown as JsonObject,
  ]),
)

test('expressions, AssignmentFilter and scripts read and write the entries of the access event as a map', async () => {
  await using gateway = await RunningGateway.start({ routes, files: { 'config/config.json': auditedRoot(TO_FILE) } })
  const names = Object.keys(FILTERS)
  for (const name of names) {
    const { status, text } = await gateway.ask(`/${name}`)
    assert.deepEqual([status, text], [200, '2 two two'], name)
  }
  for (const event of await accessEvents(gateway.instance, names.length)) {
    const { routeName, ext } = part(event, 'gateway')
    const expected = [
      ['__proto__', { a: 1 }],
      ['c2', 'two'],
    ]
    assert.deepEqual(Object.entries(ext as JsonObject).sort(), expected, String(routeName))
  }
})

test('without an audit service the map takes entries, and nothing is written', async () => {
  const silent = { name: 'AuditService', type: 'NoOpAuditService' }
  for (const heap of [[], [silent]]) {
    const root = { handler: '_router', heap: [...heap, { name: '_router', type: 'Router' }] }
    await using gateway = await RunningGateway.start({ routes, files: { 'config/config.json': root } })
    for (const name of Object.keys(FILTERS)) assert.equal((await gateway.ask(`/${name}`)).status, 200, name)
    assert.deepEqual(accessTrail(gateway.instance), [])
  }
})
