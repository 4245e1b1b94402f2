// States of routes in the management API while a change of their files is deployed.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { pathRoute, RunningGateway } from '#test/gateway'
import { managing, ROUTES } from '#test/management'
import { waitUntil } from '#test/waiting'

/** A filter whose build takes until the file `gate` exists; `building` exists from its begin on. */
const GATED = `
import { existsSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
export const types = ({ defineType, FilterKind, string, config }) => [
  defineType({
    name: 'GatedFilter',
    kind: FilterKind,
    summary: 'Is built when a file exists.',
    config: { directory: config(string()).meta({ description: 'Directory of the files.' }) },
    async create({ directory }) {
      writeFileSync(directory + '/building', '')
      while (!existsSync(directory + '/gate')) await setTimeout(5)
      return (exchange, next) => next(exchange)
    },
  }),
]`

test('a new route is in the management API when units serve it, and a changed one has its old revision until then', async () => {
  await using gateway = await RunningGateway.start({
    admin: { mode: 'DEVELOPMENT' },
    units: 1,
    files: {
      'extra/gated.js': GATED,
      'config/config.json': { handler: { name: '_router', type: 'Router', config: { scanInterval: '20 ms' } } },
    },
    routes: { old: pathRoute('/old', 'one') },
  })
  const { instance } = gateway
  const ask = managing(gateway.adminUrl)
  const before = await ask('GET', `${ROUTES}/old?_fields=_rev,_status,_served`)
  const gated = { type: 'GatedFilter', config: { directory: instance.directory } }
  const behindGate = (path: string, text: string) => {
    const { handler, ...rest } = pathRoute(path, text) as { handler: object }
    return JSON.stringify({ ...rest, handler: { type: 'Chain', config: { filters: [gated], handler } } })
  }
  instance.write('config/routes/new.json', behindGate('/new', 'new'))
  instance.write('config/routes/old.json', behindGate('/old', 'two'))
  await waitUntil('the routes are built', () => existsSync(`${instance.directory}/building`))

  assert.equal((await ask('GET', `${ROUTES}/new?_fields=_status`)).status, 404)
  const during = await ask('GET', `${ROUTES}/old?_fields=_rev,_status,_served`)
  assert.deepEqual(during.json, before.json)

  instance.write('gate', '')
  await waitUntil('the new route is loaded', async () => (await ask('GET', `${ROUTES}/new`)).status === 200)
  assert.equal((await gateway.ask('/new')).text, 'new')
  await waitUntil('the old route is replaced', async () => {
    const { json } = await ask('GET', `${ROUTES}/old?_fields=_rev`)
    return json['_rev'] !== before.json['_rev']
  })
  assert.equal((await gateway.ask('/old')).text, 'two')
})
