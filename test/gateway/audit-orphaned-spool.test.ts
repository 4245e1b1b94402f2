// A spool whose handler was renamed: its events are not sent, which is logged at the start and on SIGHUP.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import type { JsonObject } from '#json'
import { Folder } from '#test/folder'
import { RunningGateway } from '#test/gateway'
import { freePort } from '#test/nginx'
import { waitUntil } from '#test/waiting'

const ORPHANED = /GW_CONTROL_AUDIT_SPOOL_ORPHANED/

test('the spool of a renamed handler is logged once, those of other handlers are not', {
  timeout: 60_000,
}, async () => {
  using state = new Folder()
  const port = await freePort()
  const spools = () => {
    const names = readdirSync(state.in('spool/audit'))
    assert.equal(names.length, 2)
    return names
  }
  const hasSegment = (spool: string) => {
    const files = readdirSync(state.in(`spool/audit/${spool}`)).filter((file) => file.endsWith('.spool'))
    return files.some((file) => statSync(state.in(`spool/audit/${spool}/${file}`)).size > 0)
  }
  const service = (name: string): JsonObject => ({
    name: 'AuditService',
    type: 'AuditService',
    config: {
      eventHandlers: [
        {
          class: 'SyslogAuditEventHandler',
          config: {
            ...{ name, topics: ['access'], protocol: 'TCP', host: '127.0.0.1', port, facility: 'LOCAL0' },
            spool: { enabled: true },
          },
        },
      ],
    },
  })
  const route = (path: string, handler: string): JsonObject => ({
    condition: `\${request.uri.path == '${path}'}`,
    heap: [service(handler)],
    handler: { type: 'StaticResponseHandler', config: { status: 204 } },
  })
  const start = (handler: string) =>
    RunningGateway.start({
      state: state.path,
      routes: { kept: route('/kept', 'same'), changed: route('/changed', handler) },
    })
  {
    await using before = await start('old')
    for (const path of ['/kept', '/changed']) assert.equal((await before.ask(path)).status, 204)
    assert.deepEqual(before.log.with(ORPHANED), [])
    // Until then the events are in journals of the unit, which belong to this process and thus to a running one.
    await waitUntil('the events are in segments', () => spools().every(hasSegment))
  }
  // On a slow disk the handlers of the gateway that has ended still close their spools.
  const isLocked = () => spools().some((spool) => existsSync(state.in(`spool/audit/${spool}/lock`)))
  await waitUntil('the spools are released', () => !isLocked())

  await using gateway = await start('new')
  const logged = () =>
    gateway.log.with(ORPHANED).map(({ level, directory, bytes }) => ({
      level,
      name: basename(String(directory)).replace(/-[0-9a-f]{8}$/, ''),
      hasSize: Number(bytes) > 0,
    }))
  const expected = [{ level: 'warn', name: 'gateway+_router+changed+AuditService+old', hasSize: true }]
  assert.deepEqual(logged(), expected)
  await gateway.gateway.reload()
  assert.deepEqual(logged(), expected)
})
