// `gateway run --take-over` of a gateway with a store, while releases arrive, and TLS sessions that go on.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect } from 'node:tls'
import type { JsonObject } from '#json'
import { Authority, opensslMissing } from '#test/certificates'
import { EtcdMember, etcdMissing } from '#test/etcd'
import { FleetGateway, fleetParts } from '#test/fleet'
import { Folder } from '#test/folder'
import { pathRoute } from '#test/gateway'
import { GatewayProcess } from '#test/gateway-process'
import { ROUTES } from '#test/management'
import { secureHeap } from '#test/secure-connector'
import { waitUntil, within } from '#test/waiting'

const skip = (process.platform === 'linux' ? false : 'ports can be shared on Linux') || etcdMissing || opensslMissing
const words = ['--take-over']

/** A config.json that adds its version to responses of no route. */
function config(version: string): JsonObject {
  const defaultHandler = { type: 'StaticResponseHandler', config: { status: 404, entity: version } }
  return { heap: [{ name: '_router', type: 'Router', config: { defaultHandler } }], handler: '_router' }
}

/** A new connection: whether it resumed the session, and its last one. */
function visit(port: number, session?: Buffer): Promise<{ resumed: boolean; session: Buffer | undefined }> {
  const ended = new Promise<{ resumed: boolean; session: Buffer | undefined }>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...(session && { session }) })
    let last = session
    let resumed = false
    socket.on('secureConnect', () => {
      resumed = socket.isSessionReused()
    })
    socket.on('session', (received) => {
      last = received
    })
    socket.on('error', reject)
    socket.on('close', () => resolve({ resumed, session: last }))
    socket.resume()
    socket.write('GET /text HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  })
  return within('the connection closed', ended)
}

test('a process takes over with a store while releases arrive', { skip, timeout: 180_000 }, async (t) => {
  using authority = new Authority()
  await using etcd = await EtcdMember.start()
  using state = new Folder()
  const host = '127.0.0.1'
  const { admin } = fleetParts([etcd], { id: 'one' })
  await using first = await GatewayProcess.start({
    words,
    admin: {
      ...admin,
      connectors: [
        { port: 0, host },
        { port: 0, host, tls: 'https' },
      ],
      heap: secureHeap(authority.issue({ name: 'localhost' })),
    },
  })
  const { instance } = first
  await using other = await FleetGateway.start([etcd], { id: 'other', state: state.path })
  const base = {
    'config/config.json': config('config 1'),
    'config/routes/text.json': pathRoute('/text', 'a text'),
    'config/routes/reverted.json': pathRoute('/reverted', 'as before'),
    'scripts/one.txt': 'one',
  }
  assert.equal((await other.push(base)).status, 201)
  await waitUntil('the release is served', async () => (await first.ask('/text')).text === 'a text')
  const { session } = await visit(first.ports[1] as number)

  // Routes and config.json change for as long as the other process starts.
  let isTaken = false
  let releases = 0
  const written = async (name: string, text: string) => {
    const { status, text: answer } = await other.manage('PUT', `${ROUTES}/${name}`, {
      body: pathRoute(`/${name}`, text),
    })
    assert.ok(status === 200 || status === 201, answer)
    releases++
  }
  const writing = (async () => {
    for (let round = 0; !isTaken; round++) {
      await written('reverted', `round ${round}`)
      await written(`more-${round % 3}`, `round ${round}`)
      if (round % 10 === 5) {
        const { status, text } = await other.push({ ...base, 'config/config.json': config(`config ${round}`) })
        assert.equal(status, 201, text)
        releases++
      }
    }
  })()
  writing.catch(() => {})
  await using second = await GatewayProcess.start({ instance, words })
  isTaken = true
  await writing
  assert.deepEqual(second.ports, first.ports)
  const resumed = await visit(second.ports[1] as number, session)
  assert.deepEqual(await first.exit, { code: 0, signal: null })
  assert.equal(resumed.resumed, true, 'a session of the process that ended is resumed')
  assert.equal((await visit(second.ports[1] as number, session)).resumed, true)
  t.diagnostic(`${releases} releases meanwhile`)

  const last = { ...base, 'config/config.json': config('config last') }
  const { json } = await other.push(last)
  const number = Number(json['_id'])
  await waitUntil('the release is served', async () => {
    const record = (await other.instances()).get('one')
    return record?.['served'] === number && record['state'] === 'current'
  })
  assert.deepEqual(
    [(await second.ask('/reverted')).text, (await second.ask('/none')).text, (await second.ask('/more-1')).text],
    ['as before', 'config last', 'config last'],
  )
  const copy = join(instance.directory, 'state/release/current')
  for (const [path, content] of Object.entries(last)) {
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    assert.equal(readFileSync(join(copy, path), 'utf8'), text, path)
  }
  assert.deepEqual(readdirSync(join(copy, 'config/routes')).toSorted(), ['reverted.json', 'text.json'])
  assert.deepEqual([...(await other.instances()).keys()], ['one', 'other'])
  for (const { log } of [first, second]) {
    assert.deepEqual(log.with(/GW_CONTROL_(INSTANCE_ID_SHARED|COPY_)/), [])
    assert.deepEqual(log.with(/"level":"(error|fatal)"/), [])
  }
})
